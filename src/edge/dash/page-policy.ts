/** The only IP address that a source expression can contain (CSP 3 §6.7.2.9). */
const NAMED_BY_DIGITS = '127.0.0.1';
const IN_DIGITS = /^(\[.*\]|[\d.]+)$/;

/**
 * Returns the Content-Security-Policy of a page. It allows only its own files, and no inline scripts or styles.
 *
 * Browsers also apply `form-action` to the redirects of a form post. So a page that signs in to a native app must list the app's origin,
 * and only that one.
 *
 * @param redirectUri of the carrier on the page; null for every other page.
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

/** Returns the origin, or only the scheme if the grammar cannot express the host. */
function sourceOf({ hostname, origin, protocol }: URL): string {
  return IN_DIGITS.test(hostname) && hostname !== NAMED_BY_DIGITS ? protocol : origin;
}
