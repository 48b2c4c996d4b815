import { RATE_LIMITS } from './rate-limit.policies.js';

describe('the rate limits', () => {
  it('are all real: some tries in some time', () => {
    for (const { points, durationSeconds } of Object.values(RATE_LIMITS)) {
      expect(points).toBeGreaterThan(0);
      expect(durationSeconds).toBeGreaterThan(0);
      expect(Number.isInteger(points) && Number.isInteger(durationSeconds)).toBe(true);
    }
  });

  it('leave a guesser no chance: a code of six digits outlives a year of guessing at one account', () => {
    const { points, durationSeconds } = RATE_LIMITS.codeAccount;
    const guessesPerYear = (points * 365 * 86_400) / durationSeconds;
    expect(guessesPerYear).toBeLessThan(1_000_000);
  });

  it('never lock an owner out for long, and let many people share an address', () => {
    for (const { points, durationSeconds } of [RATE_LIMITS.loginAccount, RATE_LIMITS.codeAccount]) {
      expect(durationSeconds).toBeLessThanOrEqual(3_600);
      expect(RATE_LIMITS.loginAddress.points).toBeGreaterThan(points);
    }
  });

  it('leave a recovery code some tries, however many sign-in codes were guessed at', () => {
    const { codeAccount, signInCodeAccount } = RATE_LIMITS;
    expect(signInCodeAccount.points).toBeLessThan(codeAccount.points);
    expect(signInCodeAccount.durationSeconds).toBe(codeAccount.durationSeconds);
  });
});
