import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import type { Job } from './jobs.public.js';
import { nextTime, type Timing } from './schedule-timing.js';

export interface ClaimedJob extends Pick<Job, 'id' | 'payload' | 'attempts' | 'createdAt' | 'expiresAt'> {
  readonly claimId: string;
  readonly kind: string;
  readonly traceparent: string | null;
  readonly claimedAt: Date;
  readonly plannedAt: Date;
}

/** Time in milliseconds after which a claim expires if it is not renewed. After a crash, the job is retried with this delay. */
export const LEASE_MS = 8_000;
/** @internal */
const MAX_FAULT_LENGTH = 300;

const CLAIM = `WITH claimed AS MATERIALIZED (
    SELECT job.id, job.due_at FROM unnest($1::text[], $2::int[]) AS open (kind, free) CROSS JOIN LATERAL (
      SELECT id, due_at FROM background_jobs WHERE kind = open.kind AND state = 'due' AND due_at <= $3 AND id <> ALL($4::uuid[])
      ORDER BY due_at LIMIT open.free FOR UPDATE SKIP LOCKED
    ) job
  )
  UPDATE background_jobs SET due_at = $5, claim_id = $6, attempts = attempts + 1 FROM claimed WHERE background_jobs.id = claimed.id
  RETURNING background_jobs.id, kind, payload, attempts, created_at AS "createdAt", expires_at AS "expiresAt", traceparent,
    claimed.due_at AS "plannedAt"`;
const RENEW = `UPDATE background_jobs SET due_at = $1 FROM unnest($2::uuid[], $3::uuid[]) AS held (id, claim_id)
  WHERE background_jobs.id = held.id AND background_jobs.claim_id = held.claim_id AND state = 'due' RETURNING background_jobs.id`;
const REMOVE = 'DELETE FROM background_jobs WHERE id = $1 AND claim_id = $2';
const POSTPONE = 'UPDATE background_jobs SET due_at = $3, claim_id = NULL, fault = $4 WHERE id = $1 AND claim_id = $2';
const FAIL = `UPDATE background_jobs SET state = 'failed', claim_id = NULL, fault = $4, expires_at = $3 WHERE id = $1 AND claim_id = $2`;
/**
 * A changed cron expression replaces the next run. An unchanged one keeps it: the run may have been missed, or a process with a faster
 * clock may have run it already. An interval only becomes shorter. A job in progress keeps its claim.
 */
const RECUR = `INSERT INTO background_jobs AS job (id, kind, unique_key, payload, due_at, created_at)
  SELECT id, kind, '', payload::jsonb, due_at, $5
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS schedule (id, kind, payload, due_at)
  ON CONFLICT (kind, unique_key) WHERE state = 'due' DO UPDATE SET payload = excluded.payload, due_at = CASE
    WHEN job.claim_id IS NOT NULL THEN job.due_at
    WHEN NOT excluded.payload ? 'cron' THEN least(job.due_at, excluded.due_at)
    WHEN job.payload = excluded.payload THEN job.due_at ELSE excluded.due_at END
  WHERE job.payload <> excluded.payload OR (job.claim_id IS NULL AND job.due_at > excluded.due_at)`;
const RECUR_AGAIN = `UPDATE background_jobs SET due_at = $3, claim_id = NULL, attempts = 0,
    last_run_at = coalesce($4, last_run_at), fault = CASE WHEN $4::timestamptz IS NULL THEN fault ELSE $5 END
  WHERE id = $1 AND claim_id = $2 AND payload = $6::jsonb`;
const PAYLOAD = 'SELECT payload FROM background_jobs WHERE id = $1 AND claim_id = $2';
/** Kinds with waiting jobs and no running job: no process may be configured for them. */
const WAITING = `SELECT kind, count(*) FILTER (WHERE due_at <= $2)::int AS jobs FROM background_jobs
  WHERE state = 'due' AND kind = ANY ($1) GROUP BY kind
  HAVING count(*) FILTER (WHERE due_at <= $2) > 0 AND count(*) FILTER (WHERE claim_id IS NOT NULL AND due_at > $3) = 0`;

@Injectable()
export class JobQueue {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * @param free maximum number of jobs, by kind.
   * @param running ids to skip: this instance still runs them, even if their claims have expired.
   */
  async claim(free: ReadonlyMap<string, number>, running: readonly string[]): Promise<readonly ClaimedJob[]> {
    const now = this.clock.nowMs();
    const claimId = newId();
    const [rows] = await this.dataSource.query<[Omit<ClaimedJob, 'claimId' | 'claimedAt'>[], number]>(CLAIM, [
      [...free.keys()],
      [...free.values()],
      new Date(now),
      running,
      new Date(now + LEASE_MS),
      claimId,
    ]);
    return rows.map((row) => ({ ...row, claimId, claimedAt: new Date(now) }));
  }

  async renew(jobs: readonly ClaimedJob[]): Promise<ReadonlySet<string>> {
    const until = new Date(this.clock.nowMs() + LEASE_MS);
    const ids = jobs.map(({ id }) => id);
    const claims = jobs.map(({ claimId }) => claimId);
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(RENEW, [until, ids, claims]);
    return new Set(rows.map(({ id }) => id));
  }

  async remove({ id, claimId }: ClaimedJob, manager: EntityManager | DataSource = this.dataSource): Promise<boolean> {
    const [, count] = await manager.query<[unknown[], number]>(REMOVE, [id, claimId]);
    return count === 1;
  }

  async postpone({ id, claimId }: ClaimedJob, dueAt: Date, fault: string | null): Promise<void> {
    await this.dataSource.query(POSTPONE, [id, claimId, dueAt, fault?.slice(0, MAX_FAULT_LENGTH)]);
  }

  async fail({ id, claimId }: ClaimedJob, expiresAt: Date, fault: string): Promise<void> {
    await this.dataSource.query(FAIL, [id, claimId, expiresAt, fault.slice(0, MAX_FAULT_LENGTH)]);
  }

  async addRecurring(schedules: readonly { readonly name: string; readonly timing: Timing }[]): Promise<void> {
    if (schedules.length === 0) return;
    const now = this.clock.nowMs();
    await this.dataSource.query(RECUR, [
      schedules.map(() => newId()),
      schedules.map(({ name }) => name),
      schedules.map(({ timing }) => JSON.stringify(timing)),
      schedules.map(({ timing }) => new Date(nextTime(timing, now))),
      new Date(now),
    ]);
  }

  /**
   * @param plan returns the next time for the stored times, which another process may have changed during the run.
   * @param run null if the run was skipped.
   */
  async recur(
    { id, claimId, payload }: ClaimedJob,
    plan: (stored: object) => number,
    run: { readonly startedAt: Date; readonly fault: string | null } | null,
  ): Promise<void> {
    let stored: object | undefined = payload;
    while (stored !== undefined) {
      const [, changed]: [unknown[], number] = await this.dataSource.query(RECUR_AGAIN, [
        id,
        claimId,
        new Date(plan(stored)),
        run?.startedAt ?? null,
        run?.fault?.slice(0, MAX_FAULT_LENGTH) ?? null,
        JSON.stringify(stored),
      ]);
      if (changed > 0) return;
      const [row] = await this.dataSource.query<{ payload: object }[]>(PAYLOAD, [id, claimId]);
      stored = row?.payload;
    }
  }

  /** Returns the kinds with jobs that have been due since before a time, and of which none is running. */
  findWaiting(
    kinds: readonly string[],
    dueBefore: Date,
  ): Promise<readonly { readonly kind: string; readonly jobs: number }[]> {
    return this.dataSource.query(WAITING, [kinds, dueBefore, this.clock.now()]);
  }
}
