import type { RateLimitPolicy } from './rate-limit.policies.js';

/** A limit with its name, which tells its counts from those of others. */
export interface NamedRateLimit extends RateLimitPolicy {
  readonly name: string;
}

/** Outcome of a try. */
export interface RateLimitAnswer {
  /** Whether there was a try left. */
  readonly isAllowed: boolean;
  /** Milliseconds until there are tries again. */
  readonly msBeforeNext: number;
}

/**
 * Counts of tries, shared by all instances. A period begins with the first try of a key, has `points` tries, and is over
 * `durationSeconds` later. Keys are short, and tell nothing of those whose they are.
 */
export abstract class RateLimitStore {
  /** Uses up one try by one atomic step: of many at once, no more than are left are allowed. A refused try does not prolong the period. */
  abstract consume(limit: NamedRateLimit, key: string): Promise<RateLimitAnswer>;

  /** Gives a try back. */
  abstract refund(limit: NamedRateLimit, key: string): Promise<void>;

  /** Forgets the tries of a key. A key without tries is no error. */
  abstract reset(limit: NamedRateLimit, key: string): Promise<void>;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly rateLimitStore: RateLimitStore;
  }
}
