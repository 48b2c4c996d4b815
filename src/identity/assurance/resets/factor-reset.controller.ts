import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiProperty, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../auth/access/access.decorators.js';
import { Origin } from '../../auth/auth.public.js';
import { StepUp } from '../../auth/step-up/step-up.decorator.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { FactorReset } from './factor-reset.service.js';
import { OwnedFactors } from '../owned-factors.service.js';
import { OwnFactorList } from '../second-factors.dto.js';

/** A scheduled removal of second factors. */
export class PendingReset {
  @ApiProperty({ format: 'date-time' }) readonly reset_due_at: string;
}

/** Second factors of other users. The routes require `mfa.list` or `mfa.reset`. */
@ApiTags('Second factors')
@ApiExtraModels(PendingReset)
@Controller('api/mfa')
export class FactorResetController {
  constructor(
    private readonly factors: FactorReset,
    private readonly own: OwnedFactors,
  ) {}

  @Get(':user_id')
  @Resource('mfa.list')
  @ApiOperation({
    summary: 'List the second factors of a user',
    description: 'Returns the kinds and names of the factors, and the number of remaining recovery codes.',
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
    summary: 'Remove all second factors of a user',
    description:
      'Revokes the sessions of the user and notifies the user by mail. With `AUTH_MFA_RESET_DELAY` the removal is delayed: the response contains its time, and the user cancels it by using a factor. Requires a recent sign-in or step-up of the administrator.',
  })
  @AnswersData({ oneOf: [{ const: true }, { $ref: getSchemaPath(PendingReset) }] })
  @Throws('record_not_found', 'no_second_factor')
  async reset(
    @Param('user_id') userId: string,
    @CurrentAccount() account: AccountPrincipal,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: true | PendingReset }> {
    const dueAt = await this.factors.reset(account, userId, origin);
    return { data: dueAt === null ? true : { reset_due_at: dueAt.toISOString() } };
  }

  @Delete(':user_id/reset')
  @HttpCode(200)
  @Resource('mfa.reset')
  @ApiOperation({
    summary: 'Cancel the scheduled removal of second factors',
    description: 'Cancels removals scheduled by administrators. Only the owner can cancel a removal by recovery.',
  })
  @AnswersData({ const: true })
  @Throws('record_not_found')
  async cancel(@Param('user_id') userId: string, @CurrentAccount() account: AccountPrincipal): Promise<{ data: true }> {
    await this.factors.cancel(account, userId);
    return { data: true };
  }
}
