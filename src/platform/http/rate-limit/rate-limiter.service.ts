import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { defineCounter } from '../../../kernel/metrics.js';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.types.js';
import { type NamedRateLimit, RateLimitStore } from './rate-limit-store.port.js';
import { type RateLimitName, type RateLimitPolicy, rateLimits } from './rate-limit.policies.js';

const LIMIT_KEY = defineKeyPurpose('rate-limit', 'dies');
const REFUSED = defineCounter({
  name: 'lintel_rate_limited_total',
  help: 'Tries that a limit refused, by limit.',
  labels: { limit: ['route'] },
});

/**
 * Limits attempts, so that all instances share the count and parallel attempts get no more tries than attempts in a row: each
 * is counted before anything expensive or secret is looked at.
 */
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
   * Uses up one try of the key.
   *
   * @param limit a limit that is defined, or the policy of a single route, whose key names the route.
   * @throws AppError `rate_limited` with `Retry-After` when none is left.
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
    if (this.config.rateLimitEnabled) await this.store.refund(this.named(name), this.hash(key));
  }

  /** Forgets the failures of a key. */
  async reset(name: RateLimitName, key: string): Promise<void> {
    if (this.config.rateLimitEnabled) await this.store.reset(this.named(name), this.hash(key));
  }

  private named(name: RateLimitName): NamedRateLimit {
    const limit = this.limits.get(name);
    if (limit === undefined) throw new Error(`No module imports the table that defines the rate limit ${name}.`);
    return limit;
  }

  /** Hashes a key. Keys are attackers' text and people's addresses: hashed, they are short and tell nothing. */
  private hash(key: string): string {
    return keyedHash(this.key, key);
  }
}

/** Names the limit of a single route by its numbers. */
function ofRoute({ points, durationSeconds }: RateLimitPolicy): NamedRateLimit {
  return { name: `route ${points}/${durationSeconds}`, points, durationSeconds };
}
