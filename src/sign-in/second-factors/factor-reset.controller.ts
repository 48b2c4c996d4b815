import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/documentation.decorators.js';
import { FactorReset } from './factor-reset.service.js';

/** Second factors of others, for those whose roles have `mfa.reset`. */
@ApiTags('Second factors')
@Controller('api/mfa')
export class FactorResetController {
  constructor(private readonly factors: FactorReset) {}

  @Delete(':user_id')
  @HttpCode(200)
  @Resource('mfa.reset')
  @StepUp()
  @ApiOperation({
    summary: 'Remove all second factors of somebody who has lost them',
    description: 'Their sessions end, and a mail tells them. Needs a fresh proof of who asks.',
  })
  @AnswersData({ const: true })
  @Throws('record_not_found', 'no_second_factor')
  async reset(
    @Param('user_id') userId: string,
    @CurrentAccount() account: AccountPrincipal,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: true }> {
    await this.factors.reset(account, userId, origin);
    return { data: true };
  }
}
