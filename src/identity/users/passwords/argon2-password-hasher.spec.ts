import { hashesAtOnce } from './argon2-password-hasher.js';

describe('concurrent hashes', () => {
  it.each([
    [1, 1, 1],
    [2, 1, 1],
    [4, 1, 3],
    [64, 1, 3],
    [8, 2, 3],
    [8, 4, 1],
    [2, 8, 1],
  ])(
    'on %i cores with %i workers are %i in each: one core stays free, the others are shared',
    (cores, workers, maximum) => {
      expect(hashesAtOnce(cores, workers)).toBe(maximum);
    },
  );
});
