import { AUTH_LIMITS } from './auth.limits.js';
import { MAX_OWN_ATTEMPTS } from './code-requesters/code-requesters.service.js';

describe('rate limits', () => {
  it('have an amount and a period', () => {
    for (const { points, durationSeconds } of Object.values(AUTH_LIMITS)) {
      expect(points).toBeGreaterThan(0);
      expect(durationSeconds).toBeGreaterThan(0);
      expect(Number.isInteger(points) && Number.isInteger(durationSeconds)).toBe(true);
    }
  });

  it('stop guessing: a six-digit code survives a year of guesses at one account', () => {
    const { codeAccount, mailAddress } = AUTH_LIMITS;
    // Attempts by strangers in 15 minutes: counted ones, own attempts by request, and the first attempt of each session that a mail opened.
    const guesses = codeAccount.points + MAX_OWN_ATTEMPTS + mailAddress.points;
    const guessesPerYear = (guesses * 365 * 86_400) / codeAccount.durationSeconds;
    expect(guessesPerYear).toBeLessThan(1_000_000);
  });

  it('do not lock an owner out for long, and allow many users per address', () => {
    for (const { points, durationSeconds } of [AUTH_LIMITS.loginAccount, AUTH_LIMITS.codeAccount]) {
      expect(durationSeconds).toBeLessThanOrEqual(3_600);
      expect(AUTH_LIMITS.loginAddress.points).toBeGreaterThan(points);
    }
  });

  it('leave attempts for a recovery code after any number of guesses at sign-in codes', () => {
    const { codeAccount, signInCodeAccount } = AUTH_LIMITS;
    expect(signInCodeAccount.points).toBeLessThan(codeAccount.points);
    expect(signInCodeAccount.durationSeconds).toBe(codeAccount.durationSeconds);
  });
});
