import { SetMetadata, type Type } from '@nestjs/common';
import type { RateLimitName, RateLimitPolicy } from './rate-limit.policies.js';

const RATE_LIMIT = 'lintel:rate-limit';

export type LimitOfRoute = RateLimitName | 'by-account' | RateLimitPolicy;

/**
 * Sets the rate limit of a route, by client address: a shared limit by its name, or a limit of this route only. On a controller it applies
 * to each route without its own limit. `by-account` is for routes that count per account themselves, before they check the secret.
 */
export function RateLimit(limit: LimitOfRoute): MethodDecorator & ClassDecorator {
  return SetMetadata(RATE_LIMIT, limit);
}

export function rateLimitOf(handler: object, controller: Type): LimitOfRoute | undefined {
  const own = Reflect.getMetadata(RATE_LIMIT, handler) as LimitOfRoute | undefined;
  return own ?? (Reflect.getMetadata(RATE_LIMIT, controller) as LimitOfRoute | undefined);
}
