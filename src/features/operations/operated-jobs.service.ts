import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { actorOf, defineAuditActions } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { Field, optionalChoice, optionalCursor } from '../../platform/http/input/field.decorator.js';
import { TIME_OR_NULL } from '../../platform/http/output/documentation.decorators.js';
import { JOB_STATES, JobSurvey, type JobState, type SurveyedJob } from '../../platform/jobs/job-survey.service.js';

const ACTIONS = defineAuditActions('Jobs', { 'job.retry': 'A job was started manually.' });

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Times of a recurring job. */
export class JobSchedule {
  @ApiProperty({ type: String, nullable: true, description: 'Cron expression; null for an interval.' })
  readonly cron: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'IANA time zone of the cron expression.' })
  readonly time_zone: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Interval in seconds; null for a cron expression.' })
  readonly every_seconds: number | null;
}

/** A waiting, running or failed job, without its payload. */
export class ListedJob {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly kind: string;
  @ApiProperty({ enum: JOB_STATES, description: '`failed`: all attempts failed. Failed jobs are kept for some time.' })
  readonly state: JobState;
  @ApiProperty({ description: 'Whether the job is recurring.' }) readonly recurs: boolean;
  @ApiProperty({ type: 'integer' }) readonly attempts: number;
  @ApiProperty({ type: String, nullable: true, description: 'Error of the last attempt.' })
  readonly fault: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ ...TIME_OR_NULL, description: 'When the job starts, if it is waiting.' })
  readonly due_at: string | null;
  @ApiProperty({ type: JobSchedule, nullable: true, description: 'Schedule of a recurring job; null for other jobs.' })
  readonly schedule: JobSchedule | null;
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'Next planned run of a recurring job; null while an interval job runs, and for other jobs.',
  })
  readonly next_run_at: string | null;
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'Start of the last run of a recurring job; null before the first run, and for other jobs.',
  })
  readonly last_run_at: string | null;
}

/** A page of jobs, newest first. */
export class JobPage {
  @ApiProperty({ type: [ListedJob] }) readonly items: readonly ListedJob[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

/** Query of the list of jobs. */
export class JobQuery {
  @Field(optionalChoice(JOB_STATES)) state?: string;
  @Field(optionalCursor) cursor?: string;
}

const PAGE = 50;

@Injectable()
export class OperatedJobs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly survey: JobSurvey,
    private readonly audit: AuditTrail,
  ) {}

  async list(query: JobQuery): Promise<JobPage> {
    const found = await this.survey.list(this.dataSource.manager, {
      state: JOB_STATES.find((one) => one === query.state) ?? null,
      before: query.cursor ?? null,
      limit: PAGE + 1,
    });
    const items = found.slice(0, PAGE).map(toListedJob);
    return { items, next_cursor: found.length > PAGE ? (items.at(-1)?.id ?? null) : null };
  }

  /**
   * Starts a failed or recurring job immediately. A running job is not affected.
   *
   * @throws AppError `job_not_found`; `job_planned` for a job that has not run yet because it is not due; `job_replaced` for a failed job
   * with a waiting successor.
   */
  async retry(id: string, principal: Principal, origin: RequestOrigin): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const outcome = isUuid(id) ? await this.survey.runNow(manager, id) : 'missing';
      if (outcome === 'missing') throw new AppError('job_not_found');
      if (outcome === 'planned') throw new AppError('job_planned');
      if (outcome === 'replaced') throw new AppError('job_replaced');
      const resource = `job:${id}`;
      await this.audit.write(manager, { action: 'job.retry', actor: actorOf(principal), resource, origin });
    });
  }
}

function toListedJob(job: SurveyedJob): ListedJob {
  const { id, kind, state, recurs, attempts, fault, timing } = job;
  return {
    id,
    kind,
    state,
    recurs,
    attempts,
    fault,
    created_at: job.createdAt.toISOString(),
    due_at: state === 'waiting' ? job.dueAt.toISOString() : null,
    schedule: timing === null ? null : listedSchedule(timing),
    next_run_at: job.nextRunAt?.toISOString() ?? null,
    last_run_at: job.lastRunAt?.toISOString() ?? null,
  };
}

function listedSchedule(timing: NonNullable<SurveyedJob['timing']>): JobSchedule {
  if ('cron' in timing) return { cron: timing.cron, time_zone: timing.timeZone, every_seconds: null };
  return { cron: null, time_zone: null, every_seconds: timing.everyMs / 1_000 };
}
