import { Injectable, type Provider } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { Scheduled } from './job.decorators.js';

/** Rows per statement, so that no statement holds locks for long. One sweep runs at most MOST_BATCHES statements per table. */
const BATCH = 1_000;
/** @internal */
const MOST_BATCHES = 200;
/** An expired row is kept for a day by default, so that its owner gets "expired" instead of "invalid". */
const KEEP_EXPIRED_MS = 86_400_000;

@Injectable()
export class ExpiredRows {
  private readonly tables = new Map<string, number>([['background_jobs', KEEP_EXPIRED_MS]]);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param table has an `id` and an `expires_at`. */
  sweepTable(table: string, keepMs: number): void {
    this.tables.set(table, keepMs);
  }

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
 * Registers the deletion of expired rows, in the module that owns the table.
 *
 * @param table has an `id` and an `expires_at`.
 * @param keepMs milliseconds to keep a row after it has expired. Default: one day.
 */
export function expiringTable(table: string, keepMs = KEEP_EXPIRED_MS): Provider {
  const useFactory = (rows: ExpiredRows): string => {
    rows.sweepTable(table, keepMs);
    return table;
  };
  return { provide: Symbol(`expiring ${table}`), inject: [ExpiredRows], useFactory };
}
