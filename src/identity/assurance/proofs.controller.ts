import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import {
  Field,
  optionalCredential,
  optionalSecret,
  optionalText,
  requiredText,
} from '../../platform/http/input/field.decorator.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { CurrentAccount, PublicAction, Resource } from '../auth/access/access.decorators.js';
import { Browser, type BrowserContext, Client, type ClientContext } from '../auth/auth.public.js';
import { IssuesTokens } from '../auth/browser/issues-tokens.decorator.js';
import { SignInService, type TokenSet } from '../auth/sign-in/sign-in.service.js';
import { RememberedDevices } from './devices/remembered-devices.service.js';
import { FactorProofs, presentedFactor } from './factor-proofs.service.js';
import { VerifyDto } from './second-factors.dto.js';
import { FreshProof } from './step-up/fresh-proof.service.js';

/** Body of `POST /api/auth/mfa/step-up`. */
class StepUpDto {
  /** `password`, or a kind of second factor that the account has, such as `totp`. */
  @Field(requiredText(40)) method: string;
  /** For the method `password`. */
  @Field(optionalSecret) password?: string | null;
  /** Code, for second factors with typed codes. */
  @Field(optionalText(256)) code?: string | null;
  /** For passkeys: the result of `navigator.credentials.get` with the options of `mfa/passkeys/step-up`. */
  @Field(optionalCredential) credential?: object | string | null;
}

/** Proofs of second factors: to finish a sign-in, and to renew the proof of a session without a new sign-in. */
@Controller('api/auth/mfa')
export class ProofsController {
  constructor(
    private readonly factors: FactorProofs,
    private readonly proof: FreshProof,
    private readonly signIns: SignInService,
    private readonly devices: RememberedDevices,
  ) {}

  @Post('verify')
  @PublicAction('by-account')
  @ApiTags('Second factors')
  @ApiOperation({
    operationId: 'mfaVerifyVerify',
    summary: 'Finish a sign-in with a second factor',
    description: 'Requires the `mfa_token` of the `mfa_required` error.',
  })
  @IssuesTokens()
  @Throws('mfa_token_invalid', 'mfa_invalid')
  async verify(
    @Body() body: VerifyDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<TokenSet> {
    const { mfa_token: mfaToken, method, code_verifier: verifier, remember = false } = body;
    if (remember) this.devices.assertMayRemember(browser.request, method);
    const presented = { mfaToken, ...presentedFactor(body) };
    const account = this.factors.complete(presented, { codeVerifier: verifier ?? undefined }, client);
    const set = await this.signIns.complete(() => account, 'mfa_token_invalid');
    if (remember) await this.devices.remember(browser, await account, client);
    return set;
  }

  @Post('step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiTags('Account')
  @ApiOperation({
    operationId: 'stepUpProve',
    summary: 'Confirm your identity again (step-up)',
    description:
      'For ten minutes the session counts as newly signed in. Accounts with a second factor must use it. Accounts without a password must sign in again.',
  })
  @AnswersData({ const: true })
  @Throws('invalid_credentials', 'mfa_invalid', 'step_up_required', 'rate_limited')
  async stepUp(
    @Body() body: StepUpDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: true }> {
    await this.proof.stepUp(account, body, client);
    return { data: true };
  }
}
