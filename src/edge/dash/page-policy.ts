/** Hosts that a source expression can name; every other address in digits can not (CSP 3 §6.7.2.9). */
const NAMED_BY_DIGITS = '127.0.0.1';
const IN_DIGITS = /^(\[.*\]|[\d.]+)$/;

/**
 * Returns the Content-Security-Policy of a page: its own files, no inline script or style, nobody else.
 *
 * Browsers apply `form-action` to the redirects of a form post too, so a page that signs in to a native app must name the
 * app's origin, and only that one.
 *
 * @param redirectUri where the carrier of the page has its code sent; null on every other page.
 */
export function pagePolicy(redirectUri: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${redirectUri === null ? "'self'" : `'self' ${sourceOf(new URL(redirectUri))}`}`,
  ].join('; ');
}

/** Returns the exact origin, or its scheme alone where the grammar has no word for the host. */
function sourceOf({ hostname, origin, protocol }: URL): string {
  return IN_DIGITS.test(hostname) && hostname !== NAMED_BY_DIGITS ? protocol : origin;
}
