import type { RateLimitPolicy } from './rate-limit.policies.js';

/** A limit with the name that separates its counts from those of other limits. */
export interface NamedRateLimit extends RateLimitPolicy {
  readonly name: string;
}

/** Result of an attempt. */
export interface RateLimitAnswer {
  /** Whether an attempt was left. */
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
   * Counts one attempt in one atomic step: of parallel attempts, no more than the remaining ones are allowed. A rejected attempt does not
   * extend the period.
   */
  abstract consume(limit: NamedRateLimit, key: string): Promise<RateLimitAnswer>;

  /** Returns one attempt to the key. */
  abstract refund(limit: NamedRateLimit, key: string): Promise<void>;

  /** Deletes the count of a key. A key without attempts is no error. */
  abstract reset(limit: NamedRateLimit, key: string): Promise<void>;
}

declare module '../../extension/ports.js' {
  interface KnownPorts {
    readonly rateLimitStore: RateLimitStore;
  }
}
