import { createHash, timingSafeEqual } from 'node:crypto';

/** A code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
/** An S256 code challenge: 32 bytes in base64url without padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9\-_]{43}$/;

/** Returns whether a text has the form of an S256 challenge; `plain` challenges are not accepted. */
export function isCodeChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** Creates the S256 challenge of a verifier (RFC 7636 §4.2). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

/** Returns whether a request proves the challenge of an earlier one. Without a challenge, it must not contain a verifier. */
export function isProvenBy(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return verifier === undefined;
  return verifier !== undefined && matchesChallenge(verifier, challenge);
}

/** Returns whether an S256 challenge was created from the verifier (RFC 7636 §4.6). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier) || !isCodeChallenge(challenge)) return false;
  return timingSafeEqual(Buffer.from(codeChallenge(verifier)), Buffer.from(challenge));
}
