import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal, SessionAssurance } from '../../../kernel/principal.types.js';

/** Seconds for which a proof is fresh. */
const FRESH_SECONDS = 600;

/** Returns how well it is known who is signed in; null for those who are asked for nothing: guests, keys, code of our own. */
export function assuranceOf(principal: Principal | undefined): SessionAssurance | null {
  return principal?.kind === 'account' && principal.key === undefined ? (principal.assurance ?? null) : null;
}

/** Returns whether the last proof is fresh: that of the second factor of who has one. */
export function isFresh(assurance: SessionAssurance, nowMs: number, maxAge = FRESH_SECONDS): boolean {
  const provenAtMs = assurance.hasFactor ? assurance.levelAtMs : assurance.provenAtMs;
  return provenAtMs !== null && nowMs - provenAtMs < maxAge * 1_000;
}

/** Returns the answer that asks for a fresh proof (RFC 9470 §3). */
export function stepUpRequired({ hasFactor }: SessionAssurance, maxAge = FRESH_SECONDS): AppError {
  const level = hasFactor ? 'level2' : 'level1';
  return new AppError('step_up_required', { details: { acr_values: level, max_age: maxAge } });
}

/** @throws AppError `step_up_required` if the account has a second factor, and it was not proven in the last ten minutes. */
export function assertFreshFactor(principal: Principal, now: Date): void {
  const assurance = assuranceOf(principal);
  if (assurance?.hasFactor === true && !isFresh(assurance, now.getTime())) throw stepUpRequired(assurance);
}
