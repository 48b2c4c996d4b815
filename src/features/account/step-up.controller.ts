import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/documentation.decorators.js';
import { Field } from '../../platform/http/field.decorator.js';
import { allOf, type FieldCheck, requiredSecret, requiredText } from '../../platform/http/http.public.js';

const METHODS = ['password'];

const knownMethod: FieldCheck = allOf(requiredText(40), (value) =>
  METHODS.includes(String(value)) ? null : { code: 'value_invalid', message: `must be one of ${METHODS.join(', ')}` },
);

/** Body of `POST /api/auth/mfa/step-up`. */
class StepUpDto {
  @ApiProperty({ enum: METHODS }) @Field(knownMethod) method: string;
  @Field(requiredSecret) password: string;
}

/** Proving once more who one is, without signing in again (CONTRACT §10). */
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
      'For ten minutes the session counts as one that has just begun. An account without a password signs in again.',
  })
  @AnswersData({ const: true })
  @Throws('invalid_credentials', 'step_up_required', 'rate_limited')
  async prove(
    @Body() { password }: StepUpDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: true }> {
    await this.proof.renew(account, password, client);
    return { data: true };
  }
}
