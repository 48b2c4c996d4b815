import { createHash } from 'node:crypto';

/** RFC 7636 §4.2, method S256. */
export function codeChallenge(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier, 'ascii').digest('base64url');
}
