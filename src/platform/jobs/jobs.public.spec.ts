import { DEFAULT_RETRY } from './jobs.public.js';

const { giveUpAfterMs: GIVE_UP_AFTER_MS, delayMs: retryDelayMs } = DEFAULT_RETRY;

describe('retryDelayMs', () => {
  it('doubles from five seconds to an hour', () => {
    expect([1, 2, 3, 4, 10, 11, 40, 2_000].map((attempts) => retryDelayMs(attempts, 0.5))).toEqual([
      5_000, 10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000,
    ]);
  });

  it('varies by a fifth in either direction', () => {
    expect(retryDelayMs(1, 0)).toBe(4_000);
    expect(retryDelayMs(1, 0.999_999)).toBe(6_000);
  });

  it('retries about thirty times a day', () => {
    let waited = 0;
    let attempts = 0;
    while (waited < GIVE_UP_AFTER_MS) waited += retryDelayMs((attempts += 1), 0.5);
    expect(attempts).toBeGreaterThan(25);
    expect(attempts).toBeLessThan(50);
  });
});
