import { verifySync } from 'otplib/functional';

/** Seconds for which a code is shown (RFC 6238 §4). */
const PERIOD_SECONDS = 30;
const CODE = /^\d{6}$/;

/**
 * Returns the step whose code this is, of the step of the moment and its two neighbours; null if it is of none, or of none after
 * `afterStep`.
 *
 * @param secret in base32.
 */
export function stepOf(secret: string, code: string, nowMs: number, afterStep: number): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!CODE.test(token)) return null;
  const epoch = Math.floor(nowMs / 1_000);
  // Where the bound is ahead of the moment, the library throws.
  if (afterStep > Math.floor(epoch / PERIOD_SECONDS)) return null;
  const options = { secret, token, epoch, period: PERIOD_SECONDS, epochTolerance: PERIOD_SECONDS };
  const result = verifySync(afterStep > 0 ? { ...options, afterTimeStep: afterStep } : options);
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
