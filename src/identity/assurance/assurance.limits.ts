import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

const LIMITS = defineRateLimits('Second factors', {
  factors: { points: 60, durationSeconds: 900, meaning: 'factors and recovery codes created from one client address' },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}
