import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

/** Failures are counted, not successes: a right secret gives its attempt back. `codeSession`, `register` and `mailAddress` count each request. */
export const AUTH_LIMITS = defineRateLimits('Authentication', {
  /** Wrong passwords of one account at sign-in. It delays the owner and never locks the owner out for good. */
  loginAccount: { points: 10, durationSeconds: 900 },
  /** Wrong passwords that the signed-in owner of an account gives as confirmation. */
  ownPassword: { points: 10, durationSeconds: 900 },
  /** Wrong mailed codes of one address, over all kinds of codes: sign-in, recovery, activation. */
  codeAccount: { points: 10, durationSeconds: 900 },
  /** Wrong sign-in codes among them, which anybody can try: a recovery code is always left some of the tries. */
  signInCodeAccount: { points: 7, durationSeconds: 900 },
  /** Attempts of a session that carries a mailed code which are outside `codeAccount`. */
  codeSession: { points: 1, durationSeconds: 900 },
  /** Wrong codes of apps, and passwords as second factor, of one account. A right password gives none of these back. */
  factorAccount: { points: 7, durationSeconds: 900 },
  /** The same over a day: whoever knows the password has one chance in some thousands to guess a code of six digits. */
  factorAccountDay: { points: 70, durationSeconds: 86_400 },
  /** Wrong passwords and mailed codes from one client address, over all accounts. */
  loginAddress: { points: 100, durationSeconds: 900 },
  /** Wrong second factors from one client address, over all accounts. Each comes after a right first proof. */
  factorAddress: { points: 100, durationSeconds: 900 },
  /** New accounts from one client address. */
  register: { points: 100, durationSeconds: 3_600 },
  /** Mails of one kind to one account that anybody can ask for. What is beyond is silently not sent. */
  mailAddress: { points: 5, durationSeconds: 900 },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof AUTH_LIMITS, RateLimitPolicy> {}
}
