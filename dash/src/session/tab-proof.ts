const KEY = 'sign-in-verifier';

/**
 * Notes in this tab that it leaves for a provider, and answers the PKCE challenge (RFC 7636, S256) to leave with: the code
 * that comes back is good for nobody who has not the verifier. Null if the browser cannot hash (no secure context) or keeps
 * nothing; the code is bound to nobody then, and the page asks before it spends it.
 */
export async function leaveProof(): Promise<string | null> {
  try {
    const verifier = toText(crypto.getRandomValues(new Uint8Array(32)));
    const challenge = toText(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
    sessionStorage.setItem(KEY, verifier);
    return challenge;
  } catch {
    return null;
  }
}

/** Answers the verifier that this tab left with, and forgets it: it is for the next callback only. */
export function takeProof(): string | null {
  try {
    const verifier = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return verifier;
  } catch {
    return null;
  }
}

/** Returns bytes as base64url without padding. */
function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
}
