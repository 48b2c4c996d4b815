import { AppError } from '../../../kernel/errors/app-error.js';
import { covers } from '../../../kernel/permission-rules.js';
import type { AccountPrincipal, Principal, SessionAssurance } from '../../../kernel/principal.types.js';

/** Resources that stay open while a second factor must be proven or added. A name that ends with `.*` covers all resources below it. */
export const OPEN_WITHOUT_FACTOR: readonly string[] = ['auth.me', 'auth.logout', 'auth.mfa.*'];

/** Value in `amr` for a second factor that a trusted provider has verified (ADR 0081). It belongs to the sign-in, not to the account. */
export const PROVIDERS_FACTOR = 'federation_mfa';

const FRESH_SECONDS = 600;
const RECOVERY = 'recovery_code';
const OWN_FACTORS: ReadonlySet<string> = new Set(['totp', 'passkey', 'security_key']);

export function isOpenWithoutFactor(resource: string): boolean {
  return OPEN_WITHOUT_FACTOR.some((pattern) => covers(pattern, resource));
}

/** Returns whether the session started with a recovery code, so that the lost factor must be replaced first. */
export function isRecovered({ amr }: SessionAssurance): boolean {
  return amr.includes(RECOVERY) && !amr.some((proof) => OWN_FACTORS.has(proof));
}

/** Returns whether the principal is a user with a session. Only users have second factors. */
export function isUser(principal: Principal): principal is AccountPrincipal {
  return principal.kind === 'account' && principal.key === undefined;
}

export function isKey(principal: Principal): boolean {
  return principal.kind === 'account' && principal.key !== undefined;
}

/** Null for principals without step-up checks: guests, API keys and internal code. */
export function assuranceOf(principal: Principal | undefined): SessionAssurance | null {
  return principal !== undefined && isUser(principal) ? (principal.assurance ?? null) : null;
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

/** Two proofs of different classes, or one that counts for both (NIST SP 800-63B, AAL2). */
export const SECOND_LEVEL = 2;

/** Factors that can be proven first. The password can be reset by the mailbox, so these never add up to two factors. */
const FIRST_FACTORS: Readonly<Record<string, string>> = { local: 'password', otp: 'mailbox' };
const FEDERATION = 'federation';
/** Proofs of a user whose trusted provider required two factors. */
export const TWO_OF_PROVIDER: readonly string[] = [FEDERATION, PROVIDERS_FACTOR];
const FIRST: ReadonlySet<string> = new Set([...Object.values(FIRST_FACTORS), FEDERATION]);

/** Proof of a remembered browser, in which the second factor was proven earlier. */
export const REMEMBERED = 'device';

/** Proofs that count as two factors: a passkey that verifies its user. One that does not is a `security_key`. */
const BOTH: ReadonlySet<string> = new Set(['passkey']);

/** @param amr names of the proofs: `password`, `mailbox`, `federation`, `totp`, `passkey`, `recovery_code`, … */
export function levelOf(amr: readonly string[]): 1 | 2 {
  if (amr.some((proof) => BOTH.has(proof))) return SECOND_LEVEL;
  return amr.some((proof) => FIRST.has(proof)) && amr.some((proof) => !FIRST.has(proof)) ? SECOND_LEVEL : 1;
}

/** Returns the proofs of a sign-in: its own `amr`, or by default the proof of its method. */
export function amrOf({
  provider,
  amr = [],
}: {
  readonly provider: string;
  readonly amr?: readonly string[] | undefined;
}): readonly string[] {
  return amr.length > 0 ? amr : [FIRST_FACTORS[provider] ?? FEDERATION];
}
