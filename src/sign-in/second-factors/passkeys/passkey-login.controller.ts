import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Public } from '../../../identity/auth/access/access.decorators.js';
import { DisabledWhen, isLocalLoginDisabled } from '../../../identity/auth/access/disabled-when.decorator.js';
import { Client, type ClientContext } from '../../../identity/auth/auth.public.js';
import { GivesTokens } from '../../../identity/auth/browser/gives-tokens.decorator.js';
import { SignInService, type TokenSet } from '../../../identity/auth/sign-in/sign-in.service.js';
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
    summary: 'What a browser asks for a passkey with',
    description: 'Answers what `PublicKeyCredential.parseRequestOptionsFromJSON` takes: the same for everybody.',
  })
  @AnswersData({ type: 'object', description: 'Options of WebAuthn Level 3, in their JSON form.' })
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
      'One that verifies its user, by a PIN or a finger, is two factors; one that does not is asked for a password as second factor.',
  })
  @GivesTokens()
  @Throws('passkey_invalid', 'account_inactive')
  login(@Body() { credential }: PasskeyLoginDto, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.passkeys.verify(credential, client), 'passkey_invalid');
  }
}
