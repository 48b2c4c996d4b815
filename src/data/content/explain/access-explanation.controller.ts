import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../../identity/auth/access/access.decorators.js';
import { AnswersData, Throws } from '../../../platform/http/documentation.decorators.js';
import { AccessExplanations } from './access-explanation.service.js';
import { AccessExplanation, ExplainDto } from './explanation.dto.js';

/** Why somebody may (CONTRACT §14). */
@ApiTags('Access')
@Controller('api/access')
export class AccessExplanationController {
  constructor(private readonly explanations: AccessExplanations) {}

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
