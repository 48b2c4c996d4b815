import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../kernel/clock.port.js';

const INTERVAL_MS = 300_000;
const BATCH = 1_000;
/** An expired row is kept for a day, so that its owner is told "expired" and not "invalid". */
const KEEP_MS = 86_400_000;
/** Tables with an `expires_at`; what has expired is of no use to anybody. */
const TABLES = [
  'one_time_secrets',
  'refresh_tokens',
  'sessions',
  'email_changes',
  'used_carriers',
  'pending_logins',
] as const;

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

  /** Deletes one batch of each table and answers how many rows went. */
  async sweep(): Promise<number> {
    const before = new Date(this.clock.nowMs() - KEEP_MS);
    let swept = 0;
    for (const table of TABLES) {
      const [, count] = await this.dataSource.query<[unknown[], number]>(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE expires_at < $1 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
        [before],
      );
      swept += count;
    }
    return swept;
  }
}
