/** What an estimate says: how hard a password is to guess (0 to 4), or that it is among the commonest, which are refused. */
export type Strength = 0 | 1 | 2 | 3 | 4 | 'common';

/** A strength in words, and how many of four bars show it. */
export interface Verdict {
  level: 0 | 1 | 2 | 3 | 4;
  text: string;
}

const MIN_LENGTH = 8;
const VERDICTS: Readonly<Record<Strength, Verdict>> = {
  common: { level: 1, text: 'Too common: it will be refused' },
  0: { level: 1, text: 'Weak: easy to guess' },
  1: { level: 1, text: 'Weak: easy to guess' },
  2: { level: 2, text: 'Fair: a longer one is better' },
  3: { level: 3, text: 'Good' },
  4: { level: 4, text: 'Strong' },
};

/**
 * Puts into words what a password is worth.
 *
 * @param strength null as long as nobody knows; what is too short is told anyway.
 */
export function judge(password: string, strength: Strength | null): Verdict {
  const length = [...password].length;
  if (length === 0) return { level: 0, text: '' };
  const missing = MIN_LENGTH - length;
  if (missing > 0)
    return { level: 1, text: `Too short: ${missing} more ${missing === 1 ? 'character' : 'characters'}` };
  return strength === null ? { level: 0, text: '' } : VERDICTS[strength];
}
