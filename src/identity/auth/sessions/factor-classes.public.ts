import { PROVIDERS_FACTOR } from '../../../kernel/provider-factor.js';

/** Two proofs of different classes, or one that is both: what `mfa` asks for (NIST SP 800-63B, AAL2). */
export const SECOND_LEVEL = 2;

/** Factors that a person can prove first. Whoever has the mailbox gets the password by it, so these never add up. */
const FIRST_FACTORS: Readonly<Record<string, string>> = { local: 'password', otp: 'mailbox' };
const FEDERATION = 'federation';
/** Proofs of a person whose provider asked for two factors, and is believed. */
export const TWO_OF_PROVIDER: readonly string[] = [FEDERATION, PROVIDERS_FACTOR];
const FIRST: ReadonlySet<string> = new Set([...Object.values(FIRST_FACTORS), FEDERATION]);

/** Proofs that are two factors alone: a passkey that verifies its user. One that does not is a `security_key`. */
const BOTH: ReadonlySet<string> = new Set(['passkey']);

/**
 * Returns the level of a session by what was proven for it.
 *
 * @param amr names of what was proven: `password`, `mailbox`, `federation`, `federation_mfa`, `totp`, `passkey`, `security_key`, `recovery_code`, …
 */
export function levelOf(amr: readonly string[]): 1 | 2 {
  if (amr.some((proof) => BOTH.has(proof))) return SECOND_LEVEL;
  return amr.some((proof) => FIRST.has(proof)) && amr.some((proof) => !FIRST.has(proof)) ? SECOND_LEVEL : 1;
}

/** A sign-in, as far as it tells what was proven. */
interface ToldProofs {
  readonly provider: string;
  readonly amr?: readonly string[] | undefined;
}

/** Returns what was proven for a sign-in: what it says itself, else what its method stands for. */
export function amrOf({ provider, amr = [] }: ToldProofs): readonly string[] {
  return amr.length > 0 ? amr : [FIRST_FACTORS[provider] ?? FEDERATION];
}
