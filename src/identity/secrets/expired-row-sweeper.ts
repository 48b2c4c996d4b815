import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';

const INTERVAL_MS = 300_000;
/** Rows of one statement, so that none holds locks for long; and statements of one table in one go. */
const BATCH = 1_000;
const MOST_BATCHES = 200;
/** An expired row is kept for a day where its owner is to be told "expired" and not "invalid". */
const KEEP_MS = 86_400_000;
/** Tables with an `expires_at`, and how long a row is kept after it; what has expired is of no use to anybody. */
const TABLES = {
  one_time_secrets: KEEP_MS,
  refresh_tokens: KEEP_MS,
  sessions: KEEP_MS,
  email_reservations: 0,
  used_carriers: KEEP_MS,
  pending_logins: KEEP_MS,
  idempotency_keys: 0,
} as const;

/** Deletes expired rows in the background, a batch at a time. Every instance may do it: nobody waits for another. */
@Injectable()
export class ExpiredRowSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Sweeper');
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(
      () => void this.sweep().catch((err: unknown) => this.logger.warn({ err, msg: 'Sweeping failed.' })),
      INTERVAL_MS,
    );
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Deletes what has expired, table by table, and answers how many rows went. */
  async sweep(): Promise<number> {
    let swept = 0;
    for (const [table, keepMs] of Object.entries(TABLES)) {
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
