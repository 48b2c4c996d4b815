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
    'leave one core free and share the others: %i cores and %i workers allow %i per worker',
    (cores, workers, maximum) => {
      expect(hashesAtOnce(cores, workers)).toBe(maximum);
    },
  );
});
