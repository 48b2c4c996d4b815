import { OwnedTable } from '../../../kernel/owned-table.js';

/** Limits tries within a period. */
export interface RateLimitPolicy {
  readonly points: number;
  readonly durationSeconds: number;
}

/** A limit with its description in `docs/request-limits.md`. */
interface DescribedRateLimit extends RateLimitPolicy {
  readonly meaning: string;
}

/** Policies by the name of the limit. */
type RateLimitPolicies = Readonly<Record<string, DescribedRateLimit>>;

const GENERAL = {
  general: {
    points: 300,
    durationSeconds: 60,
    meaning: 'public requests that write or send mail and have no other limit, from one client address',
  },
} as const satisfies RateLimitPolicies;

/**
 * Every known limit. The general one stands here; a feature adds its own by declaration merging, beside its call of
 * {@link defineRateLimits}:
 *
 *     declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
 *       interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
 *     }
 */
export interface KnownRateLimits extends Record<keyof typeof GENERAL, RateLimitPolicy> {}

/** The name of a limit. */
export type RateLimitName = keyof KnownRateLimits;

const TABLE = new OwnedTable<DescribedRateLimit>('the rate limit');
TABLE.define('The service', GENERAL);

/**
 * Defines the limits of a feature, in a file that its module imports. A name that another feature defines stops the start.
 *
 * @param owner the feature, for that sentence.
 */
export function defineRateLimits<const Table extends RateLimitPolicies>(owner: string, table: Table): Table {
  return TABLE.define(owner, table);
}

/** Holds that each limit has one owner. @throws DefinitionError that names both owners. */
export function assertRateLimitsDistinct(): void {
  TABLE.assertOwnedOnce();
}

/** Returns every limit that is defined, with its name. */
export function rateLimits(): readonly (readonly [name: string, policy: DescribedRateLimit])[] {
  return TABLE.entries();
}
