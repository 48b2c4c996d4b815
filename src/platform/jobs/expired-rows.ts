import { Injectable, type Provider } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { Scheduled } from './job.decorators.js';

/** Rows of one statement, so that none holds locks for long; and statements of one table in one go. */
const BATCH = 1_000;
/** @internal */
const MOST_BATCHES = 200;
/** An expired row is kept for a day if its owner is to be told "expired" and not "invalid". */
const KEEP_EXPIRED_MS = 86_400_000;

/** Deletes expired rows in the background, a batch at a time. */
@Injectable()
export class ExpiredRows {
  private readonly tables = new Map<string, number>([['background_jobs', KEEP_EXPIRED_MS]]);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Has the rows of a table deleted once they have expired.
   *
   * @param table one with an `id` and an `expires_at`.
   * @param keepMs how long they are kept after that.
   */
  sweepTable(table: string, keepMs: number): void {
    this.tables.set(table, keepMs);
  }

  /** Deletes what has expired, table by table, and returns how many rows went. */
  @Scheduled({ name: 'expired.sweep', everyMs: 300_000 })
  async sweep(): Promise<number> {
    let swept = 0;
    for (const [table, keepMs] of this.tables) {
      for (let batch = 0, count = BATCH; batch < MOST_BATCHES && count === BATCH; batch += 1) {
        count = await this.sweepBatch(table, new Date(this.clock.nowMs() - keepMs));
        swept += count;
      }
    }
    return swept;
  }

  private async sweepBatch(table: string, before: Date): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE expires_at < $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
      [before],
    );
    return count;
  }
}

/**
 * Provides the deletion of a table's expired rows: it stands in the module that owns the table.
 *
 * @param table one with an `id` and an `expires_at`.
 * @param keepMs how long a row is kept after it has expired.
 */
export function expiringTable(table: string, keepMs = KEEP_EXPIRED_MS): Provider {
  const useFactory = (rows: ExpiredRows): string => {
    rows.sweepTable(table, keepMs);
    return table;
  };
  return { provide: Symbol(`expiring ${table}`), inject: [ExpiredRows], useFactory };
}
