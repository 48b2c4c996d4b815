import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { optionalCredential, optionalSecret, optionalText, requiredText } from '../../platform/http/http.public.js';

/** Body of `POST /api/auth/mfa/step-up`. */
class StepUpDto {
  /** `password`, or a kind of second factor that the account has, such as `totp`. */
  @Field(requiredText(40)) method: string;
  /** For the method `password`. */
  @Field(optionalSecret) password?: string | null;
  /** For second factors that are typed. */
  @Field(optionalText(256)) code?: string | null;
  /** For passkeys: the answer to `mfa/passkeys/step-up`. */
  @Field(optionalCredential) credential?: object | string | null;
}

/** Renews the proof of a session without a new sign-in (CONTRACT §10). */
@ApiTags('Account')
@Controller('api/auth/mfa')
export class StepUpController {
  constructor(private readonly proof: FreshProof) {}

  @Post('step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiOperation({
    summary: 'Prove once more who you are',
    description:
      'For ten minutes the session counts as one that has just begun. An account that has a second factor proves that; one without a password signs in again.',
  })
  @AnswersData({ const: true })
  @Throws('invalid_credentials', 'mfa_invalid', 'step_up_required', 'rate_limited')
  async prove(
    @Body() { method, password, code, credential }: StepUpDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: true }> {
    await this.proof.stepUp(account, { method, password, code, credential }, client);
    return { data: true };
  }
}
