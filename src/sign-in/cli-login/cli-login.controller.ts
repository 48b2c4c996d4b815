import { Body, Controller, HttpCode, Post, Redirect, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { ForeignPageGuard, OwnPageGuard } from '../../identity/auth/access/foreign-page.guard.js';
import type { BrowserSessionOf } from '../../identity/auth/carrier/native-app-login.service.js';
import { BrowserSessions } from '../../identity/auth/browser/browser-session.service.js';
import {
  isLocalLoginDisabled,
  isOtpDisabled,
  DisabledWhen,
} from '../../identity/auth/access/disabled-when.decorator.js';
import { RememberedDevices } from '../../identity/auth/devices/remembered-devices.service.js';
import { AcceptsForm } from '../../platform/http/input/accepts.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { CliLoginEnabledGuard } from './cli-login-enabled.guard.js';
import { CliLoginService, InitiatedLogin, type OnProven } from './cli-login.service.js';
import { CarrierDto, InitiateDto, CliFactorDto, CliLocalDto, CliOtpDto, CliPasskeyDto } from './initiate.dto.js';
import { FormErrorRedirectInterceptor } from './form-error-redirect.interceptor.js';

const ENROLMENT_DUE = { code: 'mfa_enrollment_required', status: 401 } as const;

/** Native-app login (RFC 8252). The app starts the login, and the browser finishes it with a redirect to the app. */
@ApiTags('Native app')
@Controller('api/auth/cli')
@UseGuards(CliLoginEnabledGuard)
@Throws('cli_login_disabled')
export class CliLoginController {
  constructor(
    private readonly logins: CliLoginService,
    private readonly browsers: BrowserSessions,
    private readonly devices: RememberedDevices,
  ) {}

  @Post('initiate')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Begin a native-app login',
    description: 'The app opens `authorize_url` in the browser of the person (RFC 8252, PKCE S256).',
  })
  @ApiOkResponse({ type: InitiatedLogin })
  @Throws('redirect_uri_not_allowed')
  initiate(@Body() body: InitiateDto): InitiatedLogin {
    return this.logins.initiate(body);
  }

  @Post('login/local')
  @Redirect()
  @Public()
  @RateLimit('by-account')
  @AcceptsForm()
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @UseInterceptors(FormErrorRedirectInterceptor)
  @ApiOperation({
    summary: 'Sign in to an app with a password',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @ApiFoundResponse()
  @Throws(
    'cross_site_request',
    'carrier_invalid',
    'invalid_credentials',
    'account_inactive',
    'mfa_required',
    ENROLMENT_DUE,
  )
  async withPassword(
    @Body() body: CliLocalDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    return { url: await this.logins.withPassword(body, client, this.sessionOf(request, reply)) };
  }

  @Post('login/otp')
  @Redirect()
  @Public()
  @RateLimit('by-account')
  @AcceptsForm()
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('otp_disabled', isOtpDisabled)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @UseInterceptors(FormErrorRedirectInterceptor)
  @ApiOperation({
    summary: 'Sign in to an app with a mailed code',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @ApiFoundResponse()
  @Throws('cross_site_request', 'carrier_invalid', 'otp_invalid', 'mfa_required', ENROLMENT_DUE)
  async withCode(
    @Body() body: CliOtpDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    return { url: await this.logins.withCode(body, client, this.sessionOf(request, reply)) };
  }

  @Post('login/passkey')
  @Redirect()
  @Public()
  @RateLimit('general')
  @AcceptsForm()
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @UseInterceptors(FormErrorRedirectInterceptor)
  @ApiOperation({
    summary: 'Sign in to an app with a passkey',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @ApiFoundResponse()
  @Throws('cross_site_request', 'carrier_invalid', 'passkey_invalid', 'account_inactive', 'mfa_required', ENROLMENT_DUE)
  async withPasskey(
    @Body() body: CliPasskeyDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    return { url: await this.logins.withPasskey(body, client, this.sessionOf(request, reply)) };
  }

  @Post('login/mfa')
  @Redirect()
  @Public()
  @RateLimit('by-account')
  @AcceptsForm()
  @UseGuards(ForeignPageGuard)
  @UseInterceptors(FormErrorRedirectInterceptor)
  @ApiOperation({
    summary: 'Finish a sign-in to an app with a second factor',
    description: 'With the `mfa_token` that a refusal `mfa_required` of the same carrier bears.',
  })
  @ApiFoundResponse()
  @Throws('cross_site_request', 'carrier_invalid', 'mfa_token_invalid', 'mfa_invalid')
  async withFactor(
    @Body() body: CliFactorDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const { method, remember = false } = body;
    if (remember === false) return { url: await this.logins.withFactor(body, client, this.sessionOf(request, reply)) };
    this.devices.assertMayRemember(request, method);
    const keep: OnProven = (account) => this.devices.remember(request, reply, account, client);
    return { url: await this.logins.withFactor(body, client, this.sessionOf(request, reply), keep) };
  }

  @Post('login/session')
  @Redirect()
  @Public()
  @RateLimit('general')
  @AcceptsForm()
  @UseGuards(OwnPageGuard)
  @UseInterceptors(FormErrorRedirectInterceptor)
  @ApiOperation({
    summary: 'Sign in to a web app as whoever is signed in at this browser',
    description:
      'For our own page, once a person has said so. The carrier is one of `authorize`; the tokens of the app are of the session of the browser.',
  })
  @ApiFoundResponse()
  @Throws('cross_site_request', 'carrier_invalid', 'token_missing', 'account_inactive', 'mfa_required', ENROLMENT_DUE)
  async withSession(
    @Body() { carrier }: CarrierDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
  ): Promise<{ url: string }> {
    return { url: await this.logins.withSession(carrier, () => this.browsers.prove(request, client)) };
  }

  private sessionOf(request: FastifyRequest, reply: FastifyReply): BrowserSessionOf {
    return (account) => this.browsers.begin(request, reply, account);
  }
}
