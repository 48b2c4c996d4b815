import { Body, Controller, HttpCode, Post, Redirect, UseGuards, UseInterceptors } from '@nestjs/common';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { ForeignPageGuard } from '../../identity/auth/access/foreign-page.guard.js';
import {
  isLocalLoginDisabled,
  isOtpDisabled,
  DisabledWhen,
} from '../../identity/auth/access/disabled-when.decorator.js';
import { AcceptsForm } from '../../platform/http/accepts.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { CliLoginEnabledGuard } from './cli-login-enabled.guard.js';
import { CliLoginService, type InitiatedLogin } from './cli-login.service.js';
import { CliLocalDto, CliOtpDto } from './cli-sign-in.dto.js';
import { InitiateDto } from './initiate.dto.js';
import { FormErrorRedirectInterceptor } from './form-error-redirect.interceptor.js';

/** Native-app login (RFC 8252): the app begins it, the browser ends it with a redirect to the app. */
@Controller('api/auth/cli')
@UseGuards(CliLoginEnabledGuard)
export class CliLoginController {
  constructor(private readonly logins: CliLoginService) {}

  @Post('initiate')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
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
  async withPassword(@Body() body: CliLocalDto, @Client() client: ClientContext): Promise<{ url: string }> {
    return { url: await this.logins.withPassword(body, client) };
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
  async withCode(@Body() body: CliOtpDto, @Client() client: ClientContext): Promise<{ url: string }> {
    return { url: await this.logins.withCode(body, client) };
  }
}
