import type { ProviderProfile } from '../providers/provider.types.js';
import { providerFailed } from '../providers/provider-failure.js';
import { CLAIM_LENGTH, textClaim } from '../providers/text-claims.js';

/**
 * The person that `/user` and `/user/emails` speak of. The address is the one of the list that is primary and verified; the
 * one on the public profile proves nothing.
 *
 * @throws AppError `provider_failed`.
 */
export function githubProfile(
  issuer: string,
  user: Readonly<Record<string, unknown>>,
  emails: unknown,
): ProviderProfile {
  const { id } = user;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) throw providerFailed('GitHub: no usable id');
  if (!Array.isArray(emails)) throw providerFailed('GitHub: no list of addresses');
  const primary = emails.find(isPrimaryAndVerified);
  const email = primary === undefined ? null : textClaim(primary, 'email', CLAIM_LENGTH.email);
  return {
    issuer,
    subject: String(id),
    email,
    emailVerified: email !== null,
    firstName: null,
    lastName: null,
    claims: user,
  };
}

function isPrimaryAndVerified(entry: unknown): entry is Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null) return false;
  const { primary, verified } = entry as Record<string, unknown>;
  return primary === true && verified === true;
}
