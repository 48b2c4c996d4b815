import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersObject, Throws } from '../../platform/http/output/documentation.decorators.js';
import { PublicAction } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { IssuesTokens } from '../../identity/auth/browser/issues-tokens.decorator.js';
import { SignInService, type TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { isOtpDisabled, DisabledWhen } from '../../identity/auth/access/disabled-when.decorator.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { OtpService } from './otp.service.js';
import { Field, requiredText } from '../../platform/http/input/field.decorator.js';
import { requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/auth/otp/request`. */
class OtpRequestDto {
  @Field(requiredEmail) email: string;
}

/** Body of `POST /api/auth/otp/verify`. */
class OtpVerifyDto {
  @Field(requiredEmail) email: string;
  @Field(requiredText(20)) code: string;
}

@ApiTags('Mailed code')
@Controller('api/auth/otp')
@DisabledWhen('otp_disabled', isOtpDisabled)
export class OtpController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly otp: OtpService,
    private readonly signIns: SignInService,
  ) {}

  @Post('request')
  @PublicAction('general')
  @ApiOperation({ summary: 'Request a sign-in code by mail' })
  @AnswersObject({ message: { type: 'string' }, expires_in: { type: 'integer' } })
  async request(
    @Body() { email }: OtpRequestDto,
    @Client() client: ClientContext,
  ): Promise<{ message: string; expires_in: number }> {
    await this.otp.request(email, client);
    const message = 'If the address belongs to an account, a code is on its way.';
    return { message, expires_in: this.config.auth.otp.expirationSeconds };
  }

  @Post('verify')
  @PublicAction('by-account')
  @ApiOperation({ summary: 'Sign in with a mailed code' })
  @IssuesTokens()
  @Throws('otp_invalid')
  verify(@Body() { email, code }: OtpVerifyDto, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.otp.verify(email, code, client), 'otp_invalid');
  }
}
