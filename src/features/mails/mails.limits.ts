import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

const LIMITS = defineRateLimits('Mails', {
  /** Test mails of one account, or of one client address without any. */
  testMails: { points: 10, durationSeconds: 3_600 },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}
