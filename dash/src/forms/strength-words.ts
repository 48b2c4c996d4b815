import { texts } from '../texts/texts.js';

/** Strength of a password: how hard it is to guess (0 to 4), or that it is among the commonest, which are refused. */
export type Strength = 0 | 1 | 2 | 3 | 4 | 'common';

/** A strength in words, and how many of four bars show it. */
export interface Verdict {
  level: 0 | 1 | 2 | 3 | 4;
  text: string;
}

const MIN_LENGTH = 8;
const VERDICTS = {
  common: { level: 1, word: 'common' },
  0: { level: 1, word: 'weak' },
  1: { level: 1, word: 'weak' },
  2: { level: 2, word: 'fair' },
  3: { level: 3, word: 'good' },
  4: { level: 4, word: 'strong' },
} as const;

/**
 * Puts into words what a password is worth.
 *
 * @param strength null as long as nobody knows; what is too short is told anyway.
 */
export function judge(password: string, strength: Strength | null): Verdict {
  const length = [...password].length;
  if (length === 0) return { level: 0, text: '' };
  const missing = MIN_LENGTH - length;
  const words = texts().forms.strength;
  if (missing > 0) return { level: 1, text: words.tooShort(missing) };
  if (strength === null) return { level: 0, text: '' };
  const { level, word } = VERDICTS[strength];
  return { level, text: words[word] };
}
