import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiProperty, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Origin } from '../../../identity/auth/auth.public.js';
import { StepUp } from '../../../identity/auth/step-up/step-up.decorator.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { FactorReset } from './factor-reset.service.js';
import { OwnFactorList, OwnFactors } from '../own-factors.service.js';

/** A pending removal of second factors. */
export class WaitingReset {
  @ApiProperty({ format: 'date-time' }) readonly reset_due_at: string;
}

/** Second factors of other users. The routes require `mfa.list` or `mfa.reset`. */
@ApiTags('Second factors')
@ApiExtraModels(WaitingReset)
@Controller('api/mfa')
export class FactorResetController {
  constructor(
    private readonly factors: FactorReset,
    private readonly own: OwnFactors,
  ) {}

  @Get(':user_id')
  @Resource('mfa.list')
  @ApiOperation({
    summary: 'The second factors of somebody',
    description: 'Which there are, and how many recovery codes are left; nothing that opens the account.',
  })
  @AnswersData(OwnFactorList)
  @Throws('record_not_found')
  async list(@Param('user_id') userId: string): Promise<{ data: OwnFactorList }> {
    return { data: await this.own.listOf(userId) };
  }

  @Delete(':user_id')
  @HttpCode(200)
  @Resource('mfa.reset')
  @StepUp()
  @ApiOperation({
    summary: 'Remove all second factors of somebody who has lost them',
    description:
      'Their sessions end, and a mail tells them. With `AUTH_MFA_RESET_DELAY` that waits: the answer says until when, and the owner calls it off by using a factor. Needs a fresh proof of who asks.',
  })
  @AnswersData({ oneOf: [{ const: true }, { $ref: getSchemaPath(WaitingReset) }] })
  @Throws('record_not_found', 'no_second_factor')
  async reset(
    @Param('user_id') userId: string,
    @CurrentAccount() account: AccountPrincipal,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: true | WaitingReset }> {
    const dueAt = await this.factors.reset(account, userId, origin);
    return { data: dueAt === null ? true : { reset_due_at: dueAt.toISOString() } };
  }

  @Delete(':user_id/reset')
  @HttpCode(200)
  @Resource('mfa.reset')
  @ApiOperation({
    summary: 'Cancel the planned removal of second factors',
    description:
      'Cancels the removals that administrators have planned. A removal by recovery is cancelled by its owner only.',
  })
  @AnswersData({ const: true })
  @Throws('record_not_found')
  async callOff(
    @Param('user_id') userId: string,
    @CurrentAccount() account: AccountPrincipal,
  ): Promise<{ data: true }> {
    await this.factors.callOff(account, userId);
    return { data: true };
  }
}
