import type { ProviderSetting } from './provider-definition.types.js';

/** @internal */
const MOST_WORDS = 20;
/** @internal */
const LONGEST_WORD = 200;

const WORDS: ProviderSetting = {
  expects: `be a list of 1 to ${MOST_WORDS} texts`,
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= MOST_WORDS && value.every((word) => isWord(word)),
};

/** Settings that make a claim of the provider count as a second factor. Without them no claim does. */
export const FACTOR_SETTINGS: Readonly<Record<string, ProviderSetting>> = { mfa_amr: WORDS, mfa_acr: WORDS };

/** Claims of an ID token, without those of userinfo: only these are signed. */
type SignedClaims = Readonly<Record<string, unknown>>;

/**
 * Returns whether an ID token confirms two factors (OpenID Connect Core §2: `amr`, `acr`).
 *
 * @param settings of the provider. A value of `mfa_amr` in `amr`, or an `acr` listed in `mfa_acr`, confirms them.
 */
export function saysTwoFactors({ amr, acr }: SignedClaims, settings: Readonly<Record<string, unknown>>): boolean {
  const { mfa_amr: methods, mfa_acr: contexts } = settings;
  const isMethod = Array.isArray(amr) && Array.isArray(methods) && amr.some((method) => methods.includes(method));
  return isMethod || (isWord(acr) && Array.isArray(contexts) && contexts.includes(acr));
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_WORD;
}
