import { Injectable, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { Scheduled } from './job.decorators.js';

/** Rows per statement, so that no statement holds locks for long. One sweep runs at most MAX_BATCHES statements per table. */
const BATCH = 1_000;
/** @internal */
const MAX_BATCHES = 200;
/** An expired row is kept for a day by default, so that its owner gets "expired" instead of "invalid". */
const RETENTION_MS = 86_400_000;

@Injectable()
export class ExpiredRows {
  private readonly tables = new Map<string, number>([['background_jobs', RETENTION_MS]]);

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param table has an `id` and an `expires_at`. */
  sweepTable(table: string, retentionMs: number): void {
    this.tables.set(table, retentionMs);
  }

  @Scheduled({ name: 'expired.sweep', everyMs: 300_000 })
  async sweep(): Promise<number> {
    let swept = 0;
    for (const [table, retentionMs] of this.tables) {
      for (let batch = 0, count = BATCH; batch < MAX_BATCHES && count === BATCH; batch += 1) {
        count = await this.sweepBatch(table, new Date(this.clock.nowMs() - retentionMs));
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
 * @param retentionMs milliseconds to keep a row after it has expired. Default: one day.
 */
export function expiringTable(table: string, retentionMs = RETENTION_MS): Provider {
  const useFactory = (rows: ExpiredRows): string => {
    rows.sweepTable(table, retentionMs);
    return table;
  };
  return { provide: Symbol(`expiring ${table}`), inject: [ExpiredRows], useFactory };
}
