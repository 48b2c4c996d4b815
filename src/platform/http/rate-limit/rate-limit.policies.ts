import { OwnedTable } from '../../../kernel/errors/definition-error.js';

/** Number of attempts (`points`) in a period of seconds. */
export interface RateLimitPolicy {
  readonly points: number;
  readonly durationSeconds: number;
}

interface DescribedRateLimit extends RateLimitPolicy {
  readonly meaning: string;
}

type RateLimitPolicies = Readonly<Record<string, DescribedRateLimit>>;

const GENERAL = {
  general: {
    points: 300,
    durationSeconds: 60,
    meaning: 'public requests that write or send mail and have no other limit, from one client address',
  },
} as const satisfies RateLimitPolicies;

/**
 * Every known limit. A feature adds its limits by declaration merging, beside its call of {@link defineRateLimits}:
 *
 *     declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
 *       interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
 *     }
 */
export interface KnownRateLimits extends Record<keyof typeof GENERAL, RateLimitPolicy> {}

export type RateLimitName = keyof KnownRateLimits;

const TABLE = new OwnedTable<DescribedRateLimit>('the rate limit');
TABLE.define('The service', GENERAL);

/** Defines the limits of a feature. The start fails if two features define the same name. */
export function defineRateLimits<const Table extends RateLimitPolicies>(owner: string, table: Table): Table {
  return TABLE.define(owner, table);
}

export function rateLimits(): readonly (readonly [name: string, policy: DescribedRateLimit])[] {
  return TABLE.entries();
}
