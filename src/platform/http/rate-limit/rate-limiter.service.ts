import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { defineCounter } from '../../../kernel/metrics.js';
import { CONFIG, type Config } from '../../config/config.types.js';
import { type NamedRateLimit, RateLimitStore } from './rate-limit-store.port.js';
import { type RateLimitName, type RateLimitPolicy, rateLimits } from './rate-limit.policies.js';

const LIMIT_KEY = defineKeyPurpose('rate-limit', 'dies');
const REFUSED = defineCounter({
  name: 'lintel_rate_limited_total',
  help: 'Attempts that a rate limit rejected, by limit.',
  labels: { limit: ['route'] },
});

/** Each attempt is counted before any expensive or secret work, so parallel attempts get no more tries than sequential ones. */
@Injectable()
export class RateLimiter {
  private readonly limits: ReadonlyMap<string, NamedRateLimit>;
  private readonly key;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly store: RateLimitStore,
  ) {
    this.key = deriveKey(config.appKey, LIMIT_KEY);
    this.limits = new Map(
      rateLimits().map(([name, { points, durationSeconds }]) => [name, { name, points, durationSeconds }]),
    );
    REFUSED.allow('limit', this.limits.keys());
  }

  /**
   * @param limit a defined limit, or the policy of a single route, whose key names the route.
   * @throws AppError `rate_limited` with `Retry-After` if no attempt is left.
   */
  async consume(limit: RateLimitName | RateLimitPolicy, key: string): Promise<void> {
    if (!this.config.rateLimitEnabled) return;
    const named = typeof limit === 'string' ? this.named(limit) : ofRoute(limit);
    const { isAllowed, msBeforeNext } = await this.store.consume(named, this.hash(key));
    if (isAllowed === true) return;
    REFUSED.inc({ limit: typeof limit === 'string' ? limit : 'route' });
    const seconds = Math.ceil(msBeforeNext / 1_000);
    throw new AppError('rate_limited', { retryAfterSeconds: seconds >= 1 ? seconds : 1 });
  }

  async tryConsume(name: RateLimitName, key: string): Promise<boolean> {
    try {
      await this.consume(name, key);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return false;
      throw error;
    }
  }

  /** Returns one attempt, because it was no guess. */
  async refund(name: RateLimitName, key: string): Promise<void> {
    if (this.config.rateLimitEnabled) await this.store.refund(this.named(name), this.hash(key));
  }

  async reset(name: RateLimitName, key: string): Promise<void> {
    if (this.config.rateLimitEnabled) await this.store.reset(this.named(name), this.hash(key));
  }

  private named(name: RateLimitName): NamedRateLimit {
    const limit = this.limits.get(name);
    if (limit === undefined) throw new Error(`No module imports the table that defines the rate limit ${name}.`);
    return limit;
  }

  /** Keys contain client input and personal data. Hashes are short and reveal neither. */
  private hash(key: string): string {
    return keyedHash(this.key, key);
  }
}

function ofRoute({ points, durationSeconds }: RateLimitPolicy): NamedRateLimit {
  return { name: `route ${points}/${durationSeconds}`, points, durationSeconds };
}
