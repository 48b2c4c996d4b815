import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../../identity/auth/view-as/view-as.decorator.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { AccessExplanations } from './access-explanation.service.js';
import { AccessExplanation, ExplainDto } from './explanation.dto.js';
import { CheckDto, PermissionVerdict } from './permission-check.dto.js';
import { PermissionChecks } from './permission-checks.service.js';

/** Explains permissions (CONTRACT §14). */
@ApiTags('Access')
@Controller('api/access')
export class AccessExplanationController {
  constructor(
    private readonly explanations: AccessExplanations,
    private readonly checks: PermissionChecks,
  ) {}

  @Post('check')
  @HttpCode(200)
  @Resource('access.explain')
  @ChangesNothing()
  @ApiOperation({
    summary: 'What is wrong with permissions before they are saved',
    description:
      'All faults at once, by the judge of those that are saved; the fault of a rule with its place. Nothing changes.',
  })
  @AnswersData(PermissionVerdict)
  check(@Body() { permissions }: CheckDto): { data: PermissionVerdict } {
    const faults = this.checks.check(permissions);
    return { data: { valid: faults.length === 0, faults } };
  }

  @Post('explain')
  @HttpCode(200)
  @Resource('access.explain')
  @ApiOperation({
    summary: 'Why somebody may do something with records, or may not',
    description: 'Say one of `role`, `user_id` and `guest`; with `id` each part of each rule is judged on that record.',
  })
  @AnswersData(AccessExplanation)
  @Throws('principal_unknown', 'schema_not_found', 'record_not_found')
  async explain(@Body() body: ExplainDto): Promise<{ data: AccessExplanation }> {
    return { data: await this.explanations.explain(body) };
  }
}
