import { PROVIDERS_FACTOR } from '../../../kernel/provider-factor.js';

/** Two proofs of different classes, or one that counts for both (NIST SP 800-63B, AAL2). */
export const SECOND_LEVEL = 2;

/** Factors that can be proven first. The password can be reset by the mailbox, so these never add up to two factors. */
const FIRST_FACTORS: Readonly<Record<string, string>> = { local: 'password', otp: 'mailbox' };
const FEDERATION = 'federation';
/** Proofs of a user whose trusted provider required two factors. */
export const TWO_OF_PROVIDER: readonly string[] = [FEDERATION, PROVIDERS_FACTOR];
const FIRST: ReadonlySet<string> = new Set([...Object.values(FIRST_FACTORS), FEDERATION]);

/** Proofs that count as two factors: a passkey that verifies its user. One that does not is a `security_key`. */
const BOTH: ReadonlySet<string> = new Set(['passkey']);

/**
 * Returns the level of a session.
 *
 * @param amr names of the proofs: `password`, `mailbox`, `federation`, `federation_mfa`, `totp`, `passkey`, `security_key`,
 * `recovery_code`, …
 */
export function levelOf(amr: readonly string[]): 1 | 2 {
  if (amr.some((proof) => BOTH.has(proof))) return SECOND_LEVEL;
  return amr.some((proof) => FIRST.has(proof)) && amr.some((proof) => !FIRST.has(proof)) ? SECOND_LEVEL : 1;
}

interface SignInProofs {
  readonly provider: string;
  readonly amr?: readonly string[] | undefined;
}

/** Returns the proofs of a sign-in: its own `amr`, or by default the proof of its method. */
export function amrOf({ provider, amr = [] }: SignInProofs): readonly string[] {
  return amr.length > 0 ? amr : [FIRST_FACTORS[provider] ?? FEDERATION];
}
