import { defineRateLimits, type RateLimitPolicy } from '../../platform/http/http.public.js';

/** A correct secret refunds its attempt, so only failures count. `codeSession`, `register` and `mailAddress` count every request. */
export const AUTH_LIMITS = defineRateLimits('Authentication', {
  loginAccount: { points: 10, durationSeconds: 900, meaning: 'wrong passwords for one account at sign-in' },
  ownPassword: {
    points: 10,
    durationSeconds: 900,
    meaning: 'wrong passwords that the signed-in owner enters to confirm an action',
  },
  codeAccount: {
    points: 10,
    durationSeconds: 900,
    meaning: 'wrong mailed codes for one address: sign-in, recovery and activation together',
  },
  signInCodeAccount: {
    points: 7,
    durationSeconds: 900,
    meaning: 'wrong mailed sign-in codes for one address; the rest of `codeAccount` is kept for recovery codes',
  },
  codeSession: {
    points: 1,
    durationSeconds: 900,
    meaning: 'attempts with one mailed code that `codeAccount` does not count',
  },
  factorAccount: {
    points: 7,
    durationSeconds: 900,
    meaning: 'wrong second factors for one account; a correct password does not reset the count',
  },
  factorAccountDay: { points: 70, durationSeconds: 86_400, meaning: 'wrong second factors for one account in a day' },
  loginAddress: {
    points: 100,
    durationSeconds: 900,
    meaning: 'wrong passwords and mailed codes from one client address',
  },
  factorAddress: { points: 100, durationSeconds: 900, meaning: 'wrong second factors from one client address' },
  register: { points: 100, durationSeconds: 3_600, meaning: 'new accounts from one client address' },
  mailAddress: {
    points: 5,
    durationSeconds: 900,
    meaning:
      'mails of one kind to one address that any visitor can request; further mails are not sent, and the response is the same',
  },
});

declare module '../../platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof AUTH_LIMITS, RateLimitPolicy> {}
}
