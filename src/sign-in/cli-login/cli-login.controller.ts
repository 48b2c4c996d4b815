import {
  applyDecorators,
  Body,
  type CanActivate,
  Controller,
  Injectable,
  Post,
  Redirect,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type DocumentedError, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Public, PublicAction } from '../../identity/auth/access/access.decorators.js';
import { Browser, type BrowserContext, Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { ForeignPageGuard, OwnPageGuard } from '../../identity/auth/access/foreign-page.guard.js';
import { PasskeyLogin } from '../../identity/assurance/passkeys/passkey-login.service.js';
import { type BrowserSessionOf, NativeAppLogin } from '../../identity/auth/carrier/native-app-login.service.js';
import { CliLoginSettings } from '../../identity/auth/carrier/cli-login-settings.port.js';
import { PasswordLogin } from '../../identity/auth/sign-in/password-login.service.js';
import { OtpLogin } from '../../identity/auth/sign-in/sign-in-method.port.js';
import type { Proof } from '../../identity/auth/sign-in/sign-in.service.js';
import { BrowserSessions } from '../../identity/auth/browser/browser-session.service.js';
import {
  isLocalLoginDisabled,
  isOtpDisabled,
  DisabledWhen,
} from '../../identity/auth/access/disabled-when.decorator.js';
import { RememberedDevices } from '../../identity/assurance/devices/remembered-devices.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { AcceptsForm } from '../../platform/http/input/accepts.decorators.js';
import type { RateLimitName } from '../../platform/http/http.public.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { CliLoginService, InitiatedLogin, type OnProven } from './cli-login.service.js';
import { CarrierDto, InitiateDto, CliFactorDto, CliLocalDto, CliOtpDto, CliPasskeyDto } from './initiate.dto.js';
import { FormErrorRedirectInterceptor } from './form-error-redirect.interceptor.js';

const ENROLMENT_DUE = { code: 'mfa_enrollment_required', status: 401 } as const;

/** Marks a route of the sign-in page. It redirects to the app with a code, or back to the page with an error. */
function RedirectsToApp(limit: RateLimitName | 'by-account', ...errors: readonly DocumentedError[]): MethodDecorator {
  return applyDecorators(
    Public(),
    RateLimit(limit),
    Redirect(),
    AcceptsForm(),
    UseInterceptors(FormErrorRedirectInterceptor),
    ApiFoundResponse(),
    Throws('cross_site_request', 'carrier_invalid', ...errors),
  );
}

/** Runs before the body is validated: with native-app login disabled, the routes always return 403. */
@Injectable()
class CliLoginEnabledGuard implements CanActivate {
  constructor(private readonly settings: CliLoginSettings) {}

  canActivate(): boolean {
    if (!this.settings.enabled) throw new AppError('cli_login_disabled');
    return true;
  }
}

/** Native-app login (RFC 8252). The app starts the login, and the browser finishes it with a redirect to the app. */
@ApiTags('Native app')
@Controller('api/auth/cli')
@UseGuards(CliLoginEnabledGuard)
@Throws('cli_login_disabled')
export class CliLoginController {
  constructor(
    private readonly logins: CliLoginService,
    private readonly nativeApps: NativeAppLogin,
    private readonly passwords: PasswordLogin,
    private readonly codes: OtpLogin,
    private readonly passkeys: PasskeyLogin,
    private readonly browsers: BrowserSessions,
    private readonly devices: RememberedDevices,
  ) {}

  @Post('initiate')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Start a native-app sign-in',
    description: 'The app opens `authorize_url` in the browser of the user (RFC 8252, PKCE S256).',
  })
  @ApiOkResponse({ type: InitiatedLogin })
  @Throws('redirect_uri_not_allowed')
  initiate(@Body() body: InitiateDto): InitiatedLogin {
    return this.logins.initiate(body);
  }

  @Post('login/local')
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @ApiOperation({
    summary: 'Sign in to an app with a password',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @RedirectsToApp('by-account', 'invalid_credentials', 'account_inactive', 'mfa_required', ENROLMENT_DUE)
  async withPassword(
    @Body() body: CliLocalDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ url: string }> {
    return this.complete(body.carrier, () => this.passwords.verify(body.login, body.password, client), browser);
  }

  @Post('login/otp')
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('otp_disabled', isOtpDisabled)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @ApiOperation({
    summary: 'Sign in to an app with a mailed code',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @RedirectsToApp('by-account', 'otp_invalid', 'mfa_required', ENROLMENT_DUE)
  async withCode(
    @Body() body: CliOtpDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ url: string }> {
    return this.complete(body.carrier, () => this.codes.verify(body.email, body.code, client), browser);
  }

  @Post('login/passkey')
  @UseGuards(ForeignPageGuard)
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @ApiOperation({
    summary: 'Sign in to an app with a passkey',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
  })
  @RedirectsToApp('general', 'passkey_invalid', 'account_inactive', 'mfa_required', ENROLMENT_DUE)
  async withPasskey(
    @Body() body: CliPasskeyDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ url: string }> {
    return this.complete(body.carrier, () => this.passkeys.verify(body.credential, client), browser);
  }

  @Post('login/mfa')
  @UseGuards(ForeignPageGuard)
  @ApiOperation({
    summary: 'Finish a sign-in to an app with a second factor',
    description: 'Requires the `mfa_token` of the `mfa_required` error for the same carrier.',
  })
  @RedirectsToApp('by-account', 'mfa_token_invalid', 'mfa_invalid')
  async withFactor(
    @Body() body: CliFactorDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ url: string }> {
    const { method, remember = false } = body;
    if (remember === false) return { url: await this.logins.withFactor(body, client, this.sessionOf(browser)) };
    this.devices.assertMayRemember(browser.request, method);
    const rememberDevice: OnProven = (account) => this.devices.remember(browser, account, client);
    return { url: await this.logins.withFactor(body, client, this.sessionOf(browser), rememberDevice) };
  }

  @Post('login/session')
  @UseGuards(OwnPageGuard)
  @ApiOperation({
    summary: 'Sign in to a web app with the browser session',
    description:
      'Used by the sign-in page after the user has confirmed. The carrier comes from `authorize`. The tokens of the app belong to the session of the browser.',
  })
  @RedirectsToApp('general', 'token_missing', 'account_inactive', 'mfa_required', ENROLMENT_DUE)
  async withSession(
    @Body() { carrier }: CarrierDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
  ): Promise<{ url: string }> {
    return { url: await this.logins.withSession(carrier, () => this.browsers.prove(request, client)) };
  }

  private async complete(carrier: string, prove: Proof, browser: BrowserContext): Promise<{ url: string }> {
    return { url: await this.nativeApps.complete(carrier, prove, this.sessionOf(browser)) };
  }

  private sessionOf(browser: BrowserContext): BrowserSessionOf {
    return (account) => this.browsers.start(browser, account);
  }
}
