import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { AnswersData, Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { type FieldCheck, withConstraints } from '../../platform/http/http.public.js';
import { JOB_STATES } from '../../platform/jobs/job-survey.service.js';
import { JobPage, OperatedJobs } from './operated-jobs.service.js';

const optionalState: FieldCheck = withConstraints({ pattern: `^(${JOB_STATES.join('|')})$` }, (value) =>
  value === undefined || JOB_STATES.some((state) => state === value)
    ? null
    : { code: 'value_invalid', message: `must be ${JOB_STATES.join(' or ')}` },
);

const optionalCursor: FieldCheck = (value) =>
  value === undefined || isUuid(value) ? null : { code: 'value_invalid', message: 'is not a cursor of this list' };

/** Filter of a list of jobs. */
class JobQuery {
  @Field(optionalState) state?: string;
  @Field(optionalCursor) cursor?: string;
}

@ApiTags('Service')
@Controller('api/jobs')
export class JobsController {
  constructor(private readonly jobs: OperatedJobs) {}

  @Get()
  @Resource('jobs.list')
  @ApiOperation({
    summary: 'Work in the background that is not done, and that was given up',
    description:
      'Jobs of all processes, without their payload. Recurring jobs are always listed, with their next and last run. Completed jobs are not kept.',
  })
  @AnswersData(JobPage)
  async list(@Query() query: JobQuery): Promise<{ data: JobPage }> {
    return { data: await this.jobs.list(query) };
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Resource('jobs.retry')
  @ApiOperation({ summary: 'Begin a job at once whose attempt failed, or which recurs' })
  @ApiOkResponse({ type: Message })
  @Throws('job_not_found', 'job_planned', 'job_replaced')
  async retry(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.jobs.retry(id, principal, origin);
    return { message: 'The job is begun.' };
  }
}
