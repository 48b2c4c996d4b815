import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { CurrentAccount, PublicAction, Resource } from '../../auth/access/access.decorators.js';
import { DisabledWhen, isLocalLoginDisabled } from '../../auth/access/disabled-when.decorator.js';
import { Client, type ClientContext } from '../../auth/auth.public.js';
import { IssuesTokens, MayIssueTokens } from '../../auth/browser/issues-tokens.decorator.js';
import { AcceptsEnrolmentToken } from '../mfa-tokens/enrolment.authenticator.js';
import { MfaTokens } from '../mfa-tokens/mfa-tokens.service.js';
import { SignInService, type TokenSet } from '../../auth/sign-in/sign-in.service.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { FactorAdded } from '../second-factors.dto.js';
import { PasskeyFactors } from './passkey-factors.service.js';
import { PasskeyLogin } from './passkey-login.service.js';
import { PasskeyChallengeDto, PasskeyDto, PasskeyLoginDto, PasskeyOptionsDto } from './passkeys.dto.js';

const OPTIONS = { type: 'object', description: 'Options of WebAuthn Level 3 in JSON form.' } as const;

@ApiTags('Second factors')
@Controller('api/auth/mfa')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeyFactors,
    private readonly tokens: MfaTokens,
  ) {}

  @Post('passkeys/options')
  @HttpCode(200)
  @Resource('auth.mfa.passkeys')
  @RateLimit('factors')
  @ApiOperation({
    summary: 'Get the options to add a passkey',
    description:
      'Returns the options for `PublicKeyCredential.parseCreationOptionsFromJSON`. Requires `current_password` or a step-up within the last ten minutes.',
  })
  @AcceptsEnrolmentToken()
  @AnswersData(OPTIONS)
  @Throws('step_up_required', 'invalid_credentials', 'rate_limited', 'too_many_factors')
  async begin(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { current_password: password }: PasskeyOptionsDto,
    @Client() client: ClientContext,
  ): Promise<{ data: PublicKeyCredentialCreationOptionsJSON }> {
    return { data: await this.passkeys.creationOptions(account, password, client) };
  }

  @Post('passkeys')
  @HttpCode(200)
  @Resource('auth.mfa.passkeys')
  @RateLimit('factors')
  @ApiOperation({
    summary: 'Add a passkey',
    description:
      'You are notified by mail. With the `mfa_token` of the `mfa_enrollment_required` error, the response is the token set of the sign-in, or for an app sign-in an `mfa_token` for `cli/login/mfa`.',
  })
  @AcceptsEnrolmentToken()
  @MayIssueTokens(FactorAdded)
  @Throws('too_many_factors', 'mfa_invalid')
  async add(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: PasskeyDto,
    @Client() client: ClientContext,
  ): Promise<FactorAdded | TokenSet> {
    const by = { account, client, codeVerifier: body.code_verifier ?? undefined };
    return this.passkeys.add(by, body.credential, PasskeyDto.nameOf(body));
  }

  @Post('passkeys/challenge')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Get the passkey options for a second factor',
    description: 'Requires the `mfa_token` of the `mfa_required` error.',
  })
  @AnswersData(OPTIONS)
  @Throws('mfa_token_invalid')
  async challenge(
    @Body() { mfa_token: token }: PasskeyChallengeDto,
  ): Promise<{ data: PublicKeyCredentialRequestOptionsJSON }> {
    const { userId } = await this.tokens.find(token);
    return { data: await this.passkeys.requestOptions(userId) };
  }

  @Post('passkeys/step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiOperation({
    summary: 'Get the passkey options for a step-up',
    description: 'Send the response of the passkey to `mfa/step-up` as `credential`.',
  })
  @AnswersData(OPTIONS)
  async stepUpOptions(
    @CurrentAccount() { userId }: AccountPrincipal,
  ): Promise<{ data: PublicKeyCredentialRequestOptionsJSON }> {
    return { data: await this.passkeys.requestOptions(userId) };
  }
}

@ApiTags('Account')
@Controller('api/auth/passkeys')
@DisabledWhen('local_login_disabled', isLocalLoginDisabled)
export class PasskeyLoginController {
  constructor(
    private readonly passkeys: PasskeyLogin,
    private readonly signIns: SignInService,
  ) {}

  @Post('options')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Get the passkey options for a sign-in',
    description:
      'Returns the options for `PublicKeyCredential.parseRequestOptionsFromJSON`. They are the same for all accounts.',
  })
  @AnswersData(OPTIONS)
  options(): { data: PublicKeyCredentialRequestOptionsJSON } {
    return { data: this.passkeys.options() };
  }

  @Post('login')
  @PublicAction('general')
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
