import { AppError } from '../../../kernel/errors/app-error.js';
import { withTimeLimit } from '../../../kernel/time-limit.js';
import { isPlainText } from '../../../platform/http/input/field.decorator.js';
import type { ProviderClaims, ProviderIdentity } from './provider-definition.types.js';
import type { ProviderProfile } from './provider.types.js';
import { definitionFailed, providerFailed } from './provider-failure.js';

/** Maximum lengths of the subject identifier (OpenID Connect Core §2), address and name. */
export const CLAIM_LENGTH = { subject: 255, email: 320, name: 100 } as const;

export interface ClaimsOfProvider {
  readonly issuer: string;
  /** The subject of the ID token; null if the claims alone identify the user. */
  readonly subject: string | null;
  readonly claims: ProviderClaims;
  readonly identity: (claims: ProviderClaims) => ProviderIdentity | Promise<ProviderIdentity>;
  readonly timeoutMs: number;
}

/** Results of `String()` for a missing claim. They would give all such users one identity. */
const INVALID_SUBJECTS = new Set(['undefined', 'null', 'NaN', 'true', 'false', '[object Object]']);

/**
 * Reads the identity from the claims. The result of `identity` is checked in the same way for every definition.
 *
 * @throws AppError the one that `identity` throws, if its status is below 500; `provider_failed` for every other failure, and for a result
 * without a usable subject.
 */
export async function profileOf({
  issuer,
  subject,
  claims,
  identity,
  timeoutMs,
}: ClaimsOfProvider): Promise<ProviderProfile> {
  try {
    const person: unknown = await withTimeLimit(timeoutMs, () => identity(claims));
    if (typeof person !== 'object' || person === null) throw providerFailed('identity: the result is not an object');
    const { subject: named, email, emailVerified, firstName, lastName } = person as ProviderIdentity;
    const address = textOf(email, CLAIM_LENGTH.email);
    return {
      issuer,
      subject: subjectOf(subject, named),
      email: address,
      emailVerified: address !== null && emailVerified === true,
      firstName: textOf(firstName, CLAIM_LENGTH.name),
      lastName: textOf(lastName, CLAIM_LENGTH.name),
      claims,
    };
  } catch (error) {
    throw error instanceof AppError && error.status < 500 ? error : refusalOf(error);
  }
}

function refusalOf(error: unknown): AppError {
  return error instanceof AppError && error.code === 'provider_failed' ? error : definitionFailed('identity', error);
}

function subjectOf(ofToken: string | null, named: unknown): string {
  if (ofToken !== null) {
    if (named === undefined || named === ofToken) return ofToken;
    throw providerFailed('identity: the subject differs from the ID token');
  }
  const isNumber = typeof named === 'number' && Number.isSafeInteger(named) && named > 0;
  const subject = isNumber ? String(named) : textOf(named, CLAIM_LENGTH.subject);
  if (subject === null || INVALID_SUBJECTS.has(subject)) throw providerFailed('identity: no valid subject');
  return subject;
}

/** Returns the identity from the standard claims (OpenID Connect Core §5.1), for an `identity` function that changes only some fields. */
export function openIdIdentity(claims: ProviderClaims): ProviderIdentity {
  const { email, email_verified: emailVerified, given_name: firstName, family_name: lastName } = claims;
  return { email, emailVerified, firstName, lastName };
}

/**
 * Merges the claims of an ID token and of userinfo. The ID token has precedence. `email` and `email_verified` always come from the same
 * source.
 *
 * @param userinfo claims of the userinfo endpoint with the same subject; empty if it was not requested.
 */
export function togetherClaims(idToken: ProviderClaims, userinfo: ProviderClaims): ProviderClaims {
  const source = idToken['email'] === undefined ? userinfo : completer(idToken, userinfo);
  const { email, email_verified } = source;
  return { ...userinfo, ...idToken, email, email_verified };
}

/** Returns the ID token. If it lacks `email_verified` and userinfo has the same address, the merged claims are returned. */
function completer(idToken: ProviderClaims, userinfo: ProviderClaims): ProviderClaims {
  const isOpen = idToken['email_verified'] === undefined && userinfo['email'] === idToken['email'];
  return isOpen ? { ...userinfo, ...idToken } : idToken;
}

/** Returns a claim that is a single line of text with at most `max` characters, else null. */
export function textOf(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= max && isPlainText(value) ? value : null;
}
