import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { CurrentAccount, Public, Resource } from '../../auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../auth/auth.public.js';
import { MayIssueTokens } from '../../auth/browser/issues-tokens.decorator.js';
import { AcceptsEnrolmentToken } from '../mfa-tokens/enrolment.authenticator.js';
import { MfaTokens } from '../mfa-tokens/mfa-tokens.service.js';
import type { TokenSet } from '../../auth/sign-in/sign-in.service.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { FactorAdded } from '../second-factors.dto.js';
import { PasskeyFactors } from './passkey-factors.service.js';
import { PasskeyChallengeDto, PasskeyDto, PasskeyOptionsDto } from './passkeys.dto.js';

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
  @HttpCode(200)
  @Public()
  @RateLimit('general')
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
