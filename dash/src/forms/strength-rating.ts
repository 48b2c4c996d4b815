import { texts } from '../texts/texts.js';

/** Strength of a password: from 0 (easy to guess) to 4, or `common` for one that the service rejects. */
export type Strength = 0 | 1 | 2 | 3 | 4 | 'common';

/** A strength as text, and as the number of filled bars out of four. */
export interface StrengthRating {
  level: 0 | 1 | 2 | 3 | 4;
  text: string;
}

const MIN_LENGTH = 8;
const RATINGS = {
  common: { level: 1, text: 'common' },
  0: { level: 1, text: 'weak' },
  1: { level: 1, text: 'weak' },
  2: { level: 2, text: 'fair' },
  3: { level: 3, text: 'good' },
  4: { level: 4, text: 'strong' },
} as const;

/**
 * Returns the displayed strength of a password.
 *
 * @param strength null until the estimator is loaded. A password that is too short is reported anyway.
 */
export function rateStrength(password: string, strength: Strength | null): StrengthRating {
  const length = [...password].length;
  if (length === 0) return { level: 0, text: '' };
  const missing = MIN_LENGTH - length;
  const strengthTexts = texts().forms.strength;
  if (missing > 0) return { level: 1, text: strengthTexts.tooShort(missing) };
  if (strength === null) return { level: 0, text: '' };
  const { level, text } = RATINGS[strength];
  return { level, text: strengthTexts[text] };
}
