import type { ProviderProfile } from '../providers/provider.types.js';
import { CLAIM_LENGTH, textClaim } from '../providers/text-claims.js';
import type { IdTokenClaims } from './id-token.js';
import type { OidcRules } from './oidc-presets.js';

/**
 * The person that checked claims speak of. Issuer and subject come from the ID token alone; an address and the word that it
 * is proven come from the same source, never one from each.
 *
 * @param userinfo claims of the userinfo endpoint, whose subject was compared; empty where it was not asked.
 */
export function profileOf(
  idToken: IdTokenClaims,
  userinfo: Readonly<Record<string, unknown>>,
  { isEmailVerified }: Pick<OidcRules, 'isEmailVerified'>,
): ProviderProfile {
  const claims = { ...userinfo, ...idToken };
  const source = idToken['email'] === undefined ? userinfo : completer(idToken, userinfo);
  const email = textClaim(source, 'email', CLAIM_LENGTH.email);
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email,
    emailVerified: email !== null && isEmailVerified(source),
    firstName: textClaim(claims, 'given_name', CLAIM_LENGTH.name),
    lastName: textClaim(claims, 'family_name', CLAIM_LENGTH.name),
    claims,
  };
}

/** The ID token, unless it leaves open whether its address is proven and userinfo speaks of the same address. */
function completer(idToken: IdTokenClaims, userinfo: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const open = idToken['email_verified'] === undefined && userinfo['email'] === idToken['email'];
  return open ? { ...userinfo, ...idToken } : idToken;
}
