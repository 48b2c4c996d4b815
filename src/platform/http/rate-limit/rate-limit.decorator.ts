import { SetMetadata } from '@nestjs/common';
import type { RateLimitName } from './rate-limit.policies.js';

/** Metadata key of {@link RateLimit}. */
export const RATE_LIMIT = 'lintel:rate-limit';

/**
 * Says which limit a public route counts against, by client address. `by-account` is for routes that count per account
 * themselves, before they look at the secret.
 */
export function RateLimit(name: RateLimitName | 'by-account'): MethodDecorator {
  return SetMetadata(RATE_LIMIT, name);
}
