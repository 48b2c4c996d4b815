import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { findViolatedUnique } from '../database/database.public.js';
import { Clock } from '../../kernel/clock.port.js';
import { JobRunners } from './job-runners.service.js';
import { type JobFilter, Jobs, type ListedJob } from './jobs.service.js';
import { nextTime, storedTiming, type Timing } from './schedule-timing.js';

/** States of a job: `waiting` for its time or for an instance, `running`, or `failed` (given up). */
export const JOB_STATES = ['waiting', 'running', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface SurveyedJob extends Omit<ListedJob<object>, 'payload' | 'state'> {
  readonly kind: string;
  readonly state: JobState;
  readonly recurs: boolean;
  readonly timing: Timing | null;
  /** When the next run of a recurring job is planned; null for other jobs, and if it depends on the end of a run. */
  readonly nextRunAt: Date | null;
  readonly lastRunAt: Date | null;
}

type Row = Omit<SurveyedJob, 'recurs' | 'timing' | 'nextRunAt'> & { readonly payload: object };

const SURVEY = `WITH job AS (
    SELECT id, kind, attempts, fault, payload, created_at, due_at, last_run_at,
      CASE WHEN state <> 'due' THEN 'failed' WHEN claim_id IS NOT NULL AND due_at > $1 THEN 'running' ELSE 'waiting' END AS state
    FROM background_jobs WHERE $3::uuid IS NULL OR id < $3
  )
  SELECT id, kind, state, attempts, fault, payload, created_at AS "createdAt", due_at AS "dueAt",
    last_run_at AS "lastRunAt" FROM job
  WHERE $2::text IS NULL OR state = $2 ORDER BY id DESC LIMIT $4`;

/** Locks the row until the transaction ends, so that concurrent callers see the outcome. */
const HOLD = `SELECT kind, state = 'due' AND attempts = 0 AS "isNew", due_at AS "dueAt" FROM background_jobs WHERE id = $1 FOR UPDATE`;

@Injectable()
export class JobSurvey {
  private recurring: ReadonlySet<string> | undefined;

  constructor(
    private readonly runners: JobRunners,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Returns unfinished jobs, newest first. Schedules that run on each instance are not included. */
  async list(manager: EntityManager, { state, before, limit }: JobFilter<JobState>): Promise<readonly SurveyedJob[]> {
    const rows = await manager.query<Row[]>(SURVEY, [this.clock.now(), state, before, limit]);
    return rows.map(({ payload, ...row }) => {
      const recurs = this.schedules().has(row.kind);
      const timing = recurs ? storedTiming(payload) : null;
      return { ...row, recurs, timing, nextRunAt: timing === null ? null : this.nextRunAt(row, timing) };
    });
  }

  /**
   * Starts a job now, if an attempt failed or if it recurs. Returns:
   *
   * - `begun`, also if the job is already running;
   * - `planned` for a new job that waits for its planned time, which is not changed;
   * - `replaced` for a failed job that another waiting job has replaced: the transaction can only be rolled back;
   * - `missing` if there is no such job.
   */
  async runNow(manager: EntityManager, id: string): Promise<'begun' | 'planned' | 'replaced' | 'missing'> {
    const [job] = await manager.query<{ kind: string; isNew: boolean; dueAt: Date }[]>(HOLD, [id]);
    if (job === undefined) return 'missing';
    if (job.isNew && job.dueAt > this.clock.now() && !this.schedules().has(job.kind)) return 'planned';
    try {
      return (await this.jobs.retry(manager, { name: job.kind }, id)) ? 'begun' : 'missing';
    } catch (error) {
      if (findViolatedUnique(error) === null) throw error;
      return 'replaced';
    }
  }

  private nextRunAt({ state, dueAt }: Pick<Row, 'state' | 'dueAt'>, timing: Timing): Date | null {
    if (state === 'waiting') return dueAt;
    return 'cron' in timing ? new Date(nextTime(timing, this.clock.nowMs())) : null;
  }

  private schedules(): ReadonlySet<string> {
    return (this.recurring ??= new Set(this.runners.collect().schedules.map(({ name }) => name)));
  }
}
