import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Public } from '../../auth/access/access.decorators.js';
import { DisabledWhen, isLocalLoginDisabled } from '../../auth/access/disabled-when.decorator.js';
import { Client, type ClientContext } from '../../auth/auth.public.js';
import { IssuesTokens } from '../../auth/browser/issues-tokens.decorator.js';
import { SignInService, type TokenSet } from '../../auth/sign-in/sign-in.service.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { PasskeyLogin } from './passkey-login.service.js';
import { PasskeyLoginDto } from './passkeys.dto.js';

@ApiTags('Account')
@Controller('api/auth/passkeys')
@DisabledWhen('local_login_disabled', isLocalLoginDisabled)
export class PasskeyLoginController {
  constructor(
    private readonly passkeys: PasskeyLogin,
    private readonly signIns: SignInService,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Get the passkey options for a sign-in',
    description:
      'Returns the options for `PublicKeyCredential.parseRequestOptionsFromJSON`. They are the same for all accounts.',
  })
  @AnswersData({ type: 'object', description: 'Options of WebAuthn Level 3 in JSON form.' })
  options(): { data: PublicKeyCredentialRequestOptionsJSON } {
    return { data: this.passkeys.options() };
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Sign in with a passkey',
    description:
      'A passkey that verifies its user, for example by PIN or fingerprint, counts as two factors. Otherwise the password is required as second factor.',
  })
  @IssuesTokens()
  @Throws('passkey_invalid', 'account_inactive')
  login(@Body() { credential }: PasskeyLoginDto, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.passkeys.verify(credential, client), 'passkey_invalid');
  }
}
