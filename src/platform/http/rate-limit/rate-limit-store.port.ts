import type { RateLimitPolicy } from './rate-limit.policies.js';

/** A rate limit with its name. Each name has separate counts. */
export interface NamedRateLimit extends RateLimitPolicy {
  readonly name: string;
}

/** Result of an attempt. */
export interface RateLimitResult {
  /** Whether the attempt is within the limit. */
  readonly isAllowed: boolean;
  /** Milliseconds until attempts are available again. */
  readonly msBeforeNext: number;
}

/**
 * Counts attempts, shared by all instances. A period begins with the first attempt of a key, allows `points` attempts, and ends
 * `durationSeconds` later. Keys are short and contain no personal data.
 */
export abstract class RateLimitStore {
  /**
   * Counts one attempt atomically, so that concurrent attempts do not exceed the limit. A rejected attempt does not extend the period.
   */
  abstract consume(limit: NamedRateLimit, key: string): Promise<RateLimitResult>;

  /** Subtracts one attempt from the count of a key. */
  abstract refund(limit: NamedRateLimit, key: string): Promise<void>;

  /** Deletes the count of a key. Does nothing if the key has no attempts. */
  abstract reset(limit: NamedRateLimit, key: string): Promise<void>;
}

declare module '../../extension/ports.js' {
  interface KnownPorts {
    readonly rateLimitStore: RateLimitStore;
  }
}
