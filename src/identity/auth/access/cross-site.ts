import type { FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether a request that only a cookie authorizes comes from a page of Lintel. Safe methods are allowed. Otherwise `Sec-Fetch-Site`
 * (W3C Fetch Metadata) must be `same-origin`, or without it the `Origin` (RFC 6454) must be the configured one or that of the requested host.
 */
export function isSameSiteRequest(request: FastifyRequest, appUrl: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return isOwnOrigin(request, appUrl);
}

/**
 * Returns whether a browser reports that a page of another origin sent the request. Non-browser clients send neither header and are
 * allowed. An opaque origin (`null`) is another one.
 *
 * @param trustedOrigins other origins that are trusted too.
 */
export function isFromForeignPage(request: FastifyRequest, appUrl: string, trustedOrigins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && trustedOrigins.includes(origin)) return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(request, appUrl);
}

function isOwnOrigin({ headers: { origin, host } }: FastifyRequest, appUrl: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const own = new URL(appUrl);
  if (origin === own.origin) return true;
  // Anybody on the network may have sent an unencrypted page, whatever its host is.
  const { protocol, host: from } = new URL(origin);
  return from === host && (protocol === 'https:' || protocol === own.protocol);
}
