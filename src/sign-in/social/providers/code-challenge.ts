import { createHash } from 'node:crypto';

/** Returns the PKCE challenge of a verifier, method S256 (RFC 7636 §4.2). */
export function codeChallenge(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier, 'ascii').digest('base64url');
}
