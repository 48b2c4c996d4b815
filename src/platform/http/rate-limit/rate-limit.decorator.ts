import { SetMetadata, type Type } from '@nestjs/common';
import type { RateLimitName, RateLimitPolicy } from './rate-limit.policies.js';

const RATE_LIMIT = 'lintel:rate-limit';

/** Names a limit, or is one. */
export type LimitOfRoute = RateLimitName | 'by-account' | RateLimitPolicy;

/**
 * Says which limit a route counts against, by client address: one that is shared, by its name, or one of the route alone. On a
 * controller it is that of each route that says nothing itself.
 * `by-account` is for routes that count per account themselves, before they look at the secret.
 */
export function RateLimit(limit: LimitOfRoute): MethodDecorator & ClassDecorator {
  return SetMetadata(RATE_LIMIT, limit);
}

/** Returns the limit of a handler, or of its controller. */
export function rateLimitOf(handler: object, controller: Type): LimitOfRoute | undefined {
  const own = Reflect.getMetadata(RATE_LIMIT, handler) as LimitOfRoute | undefined;
  return own ?? (Reflect.getMetadata(RATE_LIMIT, controller) as LimitOfRoute | undefined);
}
