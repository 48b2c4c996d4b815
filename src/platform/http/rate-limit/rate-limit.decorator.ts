import { SetMetadata } from '@nestjs/common';
import type { RateLimitName, RateLimitPolicy } from './rate-limit.policies.js';

/** Metadata key of {@link RateLimit}. */
export const RATE_LIMIT = 'lintel:rate-limit';

/** Names a limit, or is one. */
export type LimitOfRoute = RateLimitName | 'by-account' | RateLimitPolicy;

/**
 * Says which limit a route counts against, by client address: one that is shared, by its name, or one of the route alone.
 * `by-account` is for routes that count per account themselves, before they look at the secret.
 */
export function RateLimit(limit: LimitOfRoute): MethodDecorator {
  return SetMetadata(RATE_LIMIT, limit);
}
