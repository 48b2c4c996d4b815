import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { CurrentAccount, Public, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../../identity/auth/auth.public.js';
import { MayGiveTokens } from '../../../identity/auth/browser/gives-tokens.decorator.js';
import { TakesEnrolment } from '../../../identity/auth/sign-in/enrolment.decorator.js';
import { MfaTokens } from '../../../identity/auth/sign-in/mfa-tokens.service.js';
import type { TokenSet } from '../../../identity/auth/sign-in/sign-in.service.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { answerOf, FactorAdded } from '../factor-added.js';
import { PasskeyFactors } from './passkey-factors.service.js';
import { PasskeyChallengeDto, PasskeyDto, PasskeyOptionsDto } from './passkeys.dto.js';

const OPTIONS = { type: 'object', description: 'Options of WebAuthn Level 3, in their JSON form.' } as const;

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
    summary: 'Begin to add a passkey',
    description:
      'Returns the options for `PublicKeyCredential.parseCreationOptionsFromJSON`. Needs `current_password` or a step-up of the last ten minutes.',
  })
  @TakesEnrolment()
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
      'A mail tells you of it. With the `mfa_token` of a refusal `mfa_enrollment_required` it answers the token set of the sign-in, or for an app another `mfa_token`, which `cli/login/mfa` takes.',
  })
  @TakesEnrolment()
  @MayGiveTokens(FactorAdded)
  @Throws('too_many_factors', 'mfa_invalid')
  async add(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: PasskeyDto,
    @Client() client: ClientContext,
  ): Promise<FactorAdded | TokenSet> {
    const by = { account, client, codeVerifier: body.code_verifier ?? undefined };
    return answerOf(await this.passkeys.add(by, body.credential, PasskeyDto.nameOf(body)));
  }

  @Post('passkeys/challenge')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'What a browser asks for a passkey as second factor with',
    description: 'With the `mfa_token` that a refusal `mfa_required` carries.',
  })
  @AnswersData(OPTIONS)
  @Throws('mfa_token_invalid')
  async challenge(
    @Body() { mfa_token: token }: PasskeyChallengeDto,
  ): Promise<{ data: PublicKeyCredentialRequestOptionsJSON }> {
    return { data: await this.passkeys.requestOptions(await this.tokens.accountOf(token)) };
  }

  @Post('passkeys/step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiOperation({
    summary: 'What a browser asks for a passkey with, to prove once more who you are',
    description: 'The answer of the passkey goes to `mfa/step-up`, as `credential`.',
  })
  @AnswersData(OPTIONS)
  async stepUpOptions(
    @CurrentAccount() { userId }: AccountPrincipal,
  ): Promise<{ data: PublicKeyCredentialRequestOptionsJSON }> {
    return { data: await this.passkeys.requestOptions(userId) };
  }
}
