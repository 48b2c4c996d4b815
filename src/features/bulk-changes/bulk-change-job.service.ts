import { Injectable } from '@nestjs/common';
import { LaterPrincipals } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { defineJob, type Job } from '../../platform/jobs/jobs.public.js';
import { BulkChangeStore } from './bulk-change-store.service.js';
import { BulkRecords } from './bulk-records.service.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Continues a bulk change. A killed process counts as an attempt, so the retry limit is a time and not a number. */
export const BULK_CHANGE = defineJob<{ readonly change: string }>('bulk.change', {
  retry: {
    delayMs: (attempts) => Math.min(60 * SECOND_MS, 2 ** Math.min(attempts, 6) * SECOND_MS),
    giveUpAfterMs: DAY_MS,
  },
});

/**
 * Changes the records of a filter in several transactions. Each of them also stores the progress, so that another instance can continue
 * after a crash. Concurrent runs of the same change are serialised by a row lock.
 */
@Injectable()
export class BulkChangeJob {
  constructor(
    private readonly store: BulkChangeStore,
    private readonly records: BulkRecords,
    private readonly principals: LaterPrincipals,
  ) {}

  @RunsJob(BULK_CHANGE)
  async run(job: Job<{ readonly change: string }>): Promise<void> {
    const { change: id } = job.payload;
    try {
      do job.signal.throwIfAborted();
      while (await this.step(id));
    } catch (error) {
      if (error instanceof AppError && error.status < 500) await this.store.end(id, 'stopped', error.code);
      else {
        if (job.retryAt === null) await this.store.end(id, 'stopped', 'internal_error');
        throw error;
      }
    }
  }

  private async step(id: string): Promise<boolean> {
    const found = await this.store.find(id);
    if (found?.state !== 'running') return false;
    const principal = await this.principals.of(found.ownerId, found.actor);
    return this.store.transaction(async (manager) => {
      const current = await this.store.hold(manager, id);
      if (current?.state !== 'running') return false;
      const part = await this.records.of(current, principal, manager).changeNext(current);
      await this.store.book(manager, id, part);
      return part.lastKey !== null;
    });
  }
}
