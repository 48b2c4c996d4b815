import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.types.js';
import { RunsEvery } from '../../jobs/job.decorators.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/key-derivation.js';
import { defineCounter } from '../../../kernel/metrics.js';
import { type RateLimitName, type RateLimitPolicy, rateLimits } from './rate-limit.policies.js';

const LIMIT_KEY = defineKeyPurpose('rate-limit', 'dies');
const REFUSED = defineCounter({
  name: 'lintel_rate_limited_total',
  help: 'Tries that a limit refused, by limit.',
  labels: { limit: ['route'] },
});
const HOUR_MS = 3_600_000;
const CLEAR_INTERVAL_MS = 300_000;

/**
 * Counts attempts in PostgreSQL, so that all instances share the count and parallel attempts get no more tries than
 * attempts in a row: each is one atomic statement, made before anything expensive or secret is looked at.
 */
@Injectable()
export class RateLimiter {
  private readonly limiters: ReadonlyMap<string, RateLimiterPostgres>;
  /** Of single routes, by their numbers. */
  private readonly ofRoutes = new Map<string, RateLimiterPostgres>();
  private readonly key;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, LIMIT_KEY);
    this.limiters = new Map(rateLimits().map(([name, policy]) => [name, createLimiter(name, policy, dataSource)]));
    REFUSED.allow('limit', this.limiters.keys());
  }

  /**
   * Uses up one try of the key.
   *
   * @param limit a limit that is defined, or the policy of a single route, whose key names the route.
   * @throws AppError `rate_limited` with `Retry-After` when none is left.
   */
  async consume(limit: RateLimitName | RateLimitPolicy, key: string): Promise<void> {
    if (!this.config.rateLimitEnabled) return;
    try {
      await (typeof limit === 'string' ? this.limiter(limit) : this.limiterOf(limit)).consume(this.hash(key));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      REFUSED.inc({ limit: typeof limit === 'string' ? limit : 'route' });
      throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1_000)) });
    }
  }

  /** Uses up one try of the key, and answers whether there was one. */
  async tryConsume(name: RateLimitName, key: string): Promise<boolean> {
    try {
      await this.consume(name, key);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return false;
      throw error;
    }
  }

  /** Gives a try back: the attempt was no guess. */
  async refund(name: RateLimitName, key: string): Promise<void> {
    if (this.config.rateLimitEnabled) await this.limiter(name).reward(this.hash(key));
  }

  /** Forgets the failures of a key. */
  async reset(name: RateLimitName, key: string): Promise<void> {
    if (this.config.rateLimitEnabled) await this.limiter(name).delete(this.hash(key));
  }

  /** Deletes the counts that ended an hour ago, and answers how many. */
  @RunsEvery({ name: 'limits.clear', everyMs: CLEAR_INTERVAL_MS })
  async clearExpired(): Promise<number> {
    const before = this.clock.nowMs() - HOUR_MS;
    const [, count] = await this.dataSource.query<[unknown[], number]>('DELETE FROM rate_limits WHERE expire < $1', [
      before,
    ]);
    return count;
  }

  private limiter(name: RateLimitName): RateLimiterPostgres {
    const limiter = this.limiters.get(name);
    if (limiter === undefined) throw new Error(`No module imports the table that defines the rate limit ${name}.`);
    return limiter;
  }

  private limiterOf(policy: RateLimitPolicy): RateLimiterPostgres {
    const name = `route ${policy.points}/${policy.durationSeconds}`;
    const limiter = this.ofRoutes.get(name) ?? createLimiter(name, policy, this.dataSource);
    this.ofRoutes.set(name, limiter);
    return limiter;
  }

  /** Keys are attackers' text and people's addresses: hashed, they are short and tell nothing. */
  private hash(key: string): string {
    return keyedHash(this.key, key);
  }
}

function createLimiter(
  name: string,
  { points, durationSeconds }: RateLimitPolicy,
  dataSource: DataSource,
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: dataSource,
    storeType: 'typeorm',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: durationSeconds,
    // The library's own timers, one a limit, outlive the application.
    clearExpiredByTimeout: false,
  });
}
