const KEY = 'sign-in-verifier';

/**
 * Stores a new verifier in this tab and returns its PKCE challenge (RFC 7636, S256). The code of the sign-in is useless without the
 * verifier. Returns null if the browser cannot hash (no secure context) or store it. The code is not bound to a tab then, and the page asks
 * before it uses it.
 */
export async function storeVerifier(): Promise<string | null> {
  try {
    const verifier = toText(crypto.getRandomValues(new Uint8Array(32)));
    const challenge = toText(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
    sessionStorage.setItem(KEY, verifier);
    return challenge;
  } catch {
    return null;
  }
}

/** Returns the verifier of this tab and removes it, because it is only valid for the next callback. */
export function takeVerifier(): string | null {
  try {
    const verifier = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return verifier;
  } catch {
    return null;
  }
}

/** Encodes bytes as base64url without padding. */
function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
}
