import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { Scheduled } from '../../jobs/job.decorators.js';
import { type NamedRateLimit, type RateLimitResult, RateLimitStore } from './rate-limit-store.port.js';

const HOUR_MS = 3_600_000;
const CLEAR_INTERVAL_MS = 300_000;

@Injectable()
export class DatabaseRateLimitStore extends RateLimitStore {
  private readonly limiters = new Map<string, RateLimiterPostgres>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async consume(limit: NamedRateLimit, key: string): Promise<RateLimitResult> {
    try {
      const { msBeforeNext } = await this.limiter(limit).consume(key);
      return { isAllowed: true, msBeforeNext };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { isAllowed: false, msBeforeNext: error.msBeforeNext };
    }
  }

  async refund(limit: NamedRateLimit, key: string): Promise<void> {
    await this.limiter(limit).reward(key);
  }

  async reset(limit: NamedRateLimit, key: string): Promise<void> {
    await this.limiter(limit).delete(key);
  }

  @Scheduled({ name: 'limits.clear', everyMs: CLEAR_INTERVAL_MS })
  async clearExpired(): Promise<number> {
    const before = this.clock.nowMs() - HOUR_MS;
    const [, count] = await this.dataSource.query<[unknown[], number]>('DELETE FROM rate_limits WHERE expire < $1', [
      before,
    ]);
    return count;
  }

  private limiter({ name, points, durationSeconds }: NamedRateLimit): RateLimiterPostgres {
    const signature = `${name} ${points}/${durationSeconds}`;
    const existing = this.limiters.get(signature);
    if (existing !== undefined) return existing;
    const limiter = new RateLimiterPostgres({
      storeClient: this.dataSource,
      storeType: 'typeorm',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: name,
      points,
      duration: durationSeconds,
      // The timers of the library, one per limit, would outlive the application.
      clearExpiredByTimeout: false,
    });
    this.limiters.set(signature, limiter);
    return limiter;
  }
}
