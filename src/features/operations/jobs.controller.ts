import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { JobPage, JobQuery, OperatedJobs } from './operated-jobs.service.js';

@ApiTags('Service')
@Controller('api/jobs')
export class JobsController {
  constructor(private readonly jobs: OperatedJobs) {}

  @Get()
  @Resource('jobs.list')
  @ApiOperation({
    summary: 'List pending and failed jobs',
    description:
      'Returns the jobs of all processes, without their payload. Recurring jobs are always listed, with their next and last run. Completed jobs are not kept.',
  })
  @AnswersData(JobPage)
  async list(@Query() query: JobQuery): Promise<{ data: JobPage }> {
    return { data: await this.jobs.list(query) };
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Resource('jobs.retry')
  @ApiOperation({ summary: 'Start a failed or recurring job immediately' })
  @ApiOkResponse({ type: Message })
  @Throws('job_not_found', 'job_planned', 'job_replaced')
  async retry(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.jobs.retry(id, principal, origin);
    return { message: 'The job was started.' };
  }
}
