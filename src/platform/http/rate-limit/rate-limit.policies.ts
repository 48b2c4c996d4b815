import { DefinitionError } from '../../../kernel/definition-error.js';

/** How many tries are granted within a period. */
export interface RateLimitPolicy {
  readonly points: number;
  readonly durationSeconds: number;
}

/** Policies by the name of the limit. */
type RateLimitPolicies = Readonly<Record<string, RateLimitPolicy>>;

const GENERAL = {
  /** Every public request that writes or sends mail and has no limit of its own, by client address. */
  general: { points: 300, durationSeconds: 60 },
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

const policies = new Map<string, RateLimitPolicy>(Object.entries(GENERAL));

/**
 * Defines the limits of a feature, in a file that its module imports.
 *
 * @throws DefinitionError for a name that another feature defines.
 */
export function defineRateLimits<const Table extends RateLimitPolicies>(table: Table): Table {
  const twice = Object.keys(table).find((name) => policies.has(name));
  if (twice !== undefined) throw new DefinitionError(`Two features define the rate limit ${twice}: one alone may.`);
  for (const [name, policy] of Object.entries(table)) policies.set(name, policy);
  return table;
}

/** Returns every limit that is defined, with its name. */
export function rateLimits(): readonly (readonly [name: string, policy: RateLimitPolicy])[] {
  return [...policies];
}
