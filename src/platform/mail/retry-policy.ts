const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 3_600_000;
const JITTER = 0.2;

/** After so long a mail that cannot be sent is given up. */
export const GIVE_UP_AFTER_MS = 86_400_000;

/**
 * How long to wait after so many failed attempts (1 or more), in milliseconds: 5 s, doubled each time, at most an hour,
 * with a fifth of jitter either way, so that mails which failed together do not come back together.
 *
 * @param random a number from 0 up to 1.
 */
export function retryDelayMs(attempts: number, random: number): number {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}
