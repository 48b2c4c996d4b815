import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal, SessionAssurance } from '../../../kernel/principal.types.js';

const FRESH_SECONDS = 600;

/** Null for principals without step-up checks: guests, API keys and internal code. */
export function assuranceOf(principal: Principal | undefined): SessionAssurance | null {
  return principal?.kind === 'account' && principal.key === undefined ? (principal.assurance ?? null) : null;
}

/** For an account with a second factor, the last proof of the factor counts. */
export function isFresh(assurance: SessionAssurance, nowMs: number, maxAge = FRESH_SECONDS): boolean {
  const provenAtMs = assurance.hasFactor ? assurance.levelAtMs : assurance.provenAtMs;
  return provenAtMs !== null && nowMs - provenAtMs < maxAge * 1_000;
}

/** Returns the error that asks for a fresh proof (RFC 9470 §3). */
export function stepUpRequired({ hasFactor }: SessionAssurance, maxAge = FRESH_SECONDS): AppError {
  const level = hasFactor ? 'level2' : 'level1';
  return new AppError('step_up_required', { details: { acr_values: level, max_age: maxAge } });
}

/** @throws AppError `step_up_required` if the account has a second factor that was not proven in the last ten minutes. */
export function assertFreshFactor(principal: Principal, now: Date): void {
  const assurance = assuranceOf(principal);
  if (assurance?.hasFactor === true && !isFresh(assurance, now.getTime())) throw stepUpRequired(assurance);
}
