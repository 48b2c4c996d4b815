import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../../identity/auth/view-as/view-as.decorator.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { AccessExplanations } from './access-explanation.service.js';
import { AccessExplanation, ExplainDto, CheckDto, PermissionVerdict } from './explanation.dto.js';

/** Explains permissions. */
@ApiTags('Access')
@Controller('api/access')
export class AccessExplanationController {
  constructor(private readonly explanations: AccessExplanations) {}

  @Post('check')
  @HttpCode(200)
  @Resource('access.explain')
  @ChangesNothing()
  @ApiOperation({
    summary: 'Validate permissions before saving them',
    description:
      'Returns all errors of the same validation that runs when permissions are saved, with the position of errors in rules. Changes nothing.',
  })
  @AnswersData(PermissionVerdict)
  check(@Body() { permissions }: CheckDto): { data: PermissionVerdict } {
    const faults = this.explanations.check(permissions);
    return { data: { valid: faults.length === 0, faults } };
  }

  @Post('explain')
  @HttpCode(200)
  @Resource('access.explain')
  @ApiOperation({
    summary: 'Explain the access of a role, user or guest to records',
    description:
      'Send exactly one of `role`, `user_id` and `guest`. With `id`, each part of each rule is evaluated for that record.',
  })
  @AnswersData(AccessExplanation)
  @Throws('principal_unknown', 'schema_not_found', 'record_not_found')
  async explain(@Body() body: ExplainDto): Promise<{ data: AccessExplanation }> {
    return { data: await this.explanations.explain(body) };
  }
}
