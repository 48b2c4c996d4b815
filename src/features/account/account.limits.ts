import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

/** Limits on what people do with their own accounts, by client address. */
const LIMITS = defineRateLimits('Own account', {
  /** Documents with everything about an account: each reads a lot. */
  accountExport: { points: 30, durationSeconds: 3_600 },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}
