import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

/** Failures are counted, not successes: what succeeds gives its try back (the first four); the others count each request. */
export const AUTH_LIMITS = defineRateLimits('Authentication', {
  /** Wrong passwords of one account, wherever one is asked for. It delays; it never locks an owner out for good. */
  loginAccount: { points: 10, durationSeconds: 900 },
  /** Wrong mailed codes of one address, over all kinds of codes: sign-in, recovery, activation. */
  codeAccount: { points: 10, durationSeconds: 900 },
  /** Wrong sign-in codes among them, which anybody can try: a recovery code is always left some of the tries. */
  signInCodeAccount: { points: 7, durationSeconds: 900 },
  /** Wrong second factors of one account. A right password gives none of these back. */
  factorAccount: { points: 7, durationSeconds: 900 },
  /** The same over a day: whoever knows the password has one chance in some thousands to guess a code of six digits. */
  factorAccountDay: { points: 70, durationSeconds: 86_400 },
  /** Wrong passwords and codes from one client address, over all accounts. */
  loginAddress: { points: 100, durationSeconds: 900 },
  /** New accounts from one client address. */
  register: { points: 100, durationSeconds: 3_600 },
  /** Mails of one kind to one account that anybody can ask for. What is beyond is silently not sent. */
  mailAddress: { points: 5, durationSeconds: 900 },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof AUTH_LIMITS, RateLimitPolicy> {}
}
