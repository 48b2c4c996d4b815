import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { isDatabaseUnavailable } from '../database/database.public.js';
import type { Job, JobKind } from './jobs.public.js';
import type { ClaimedJob, JobQueue } from './job-queue.service.js';

const END_TRIES = 20;
const END_PAUSE_MS = 500;

/** This instance has lost the job: it was cancelled, or another instance has claimed it. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

export class RunningJob implements Job {
  readonly id: string;
  readonly payload: object;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly retryAt: Date | null;
  private readonly abortion = new AbortController();
  private ended = false;

  constructor(
    readonly claimed: ClaimedJob,
    { retry }: JobKind,
    private readonly queue: JobQueue,
    private readonly dataSource: DataSource,
    now: number,
  ) {
    ({
      id: this.id,
      payload: this.payload,
      attempts: this.attempts,
      createdAt: this.createdAt,
      expiresAt: this.expiresAt,
    } = claimed);
    const retryAt = now + retry.delayMs(claimed.attempts, Math.random());
    const isLast = retryAt >= claimed.createdAt.getTime() + retry.giveUpAfterMs;
    this.retryAt = isLast ? null : new Date(retryAt);
  }

  get signal(): AbortSignal {
    return this.abortion.signal;
  }

  abort(): void {
    this.abortion.abort(new ClaimLostError());
  }

  async complete(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await work(manager);
      if (!(await this.queue.remove(this.claimed, manager))) throw new ClaimLostError();
    });
    this.ended = true;
  }

  /** Completes the job after its work. It waits for an unavailable database, so that the work is not repeated. */
  async end(): Promise<void> {
    for (let tries = 1; !this.ended; tries += 1) {
      try {
        await this.queue.remove(this.claimed);
        this.ended = true;
      } catch (error) {
        if (tries === END_TRIES || !isDatabaseUnavailable(error)) throw error;
        await delay(END_PAUSE_MS);
      }
    }
  }
}
