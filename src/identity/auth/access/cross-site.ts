import type { FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether a request that is authorised by a cookie alone comes from our own pages: it is safe, or the browser says that it is
 * same-origin by `Sec-Fetch-Site` (W3C Fetch Metadata) or by an `Origin` (RFC 6454) that is ours or the one asked.
 */
export function isSameSiteRequest(request: FastifyRequest, appOrigin: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return isOwnOrigin(request, appOrigin);
}

/**
 * Returns whether a browser says that a page of another origin sends this request. What is no browser says nothing, and needs no page
 * of ours. An opaque origin (`null`) is another one.
 *
 * @param friends other origins whose pages are ours, too.
 */
export function isFromForeignPage(request: FastifyRequest, appOrigin: string, friends: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && friends.includes(origin)) return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(request, appOrigin);
}

/** Returns whether the `Origin` (RFC 6454) is ours, or the one that was asked. */
function isOwnOrigin({ headers: { origin, host } }: FastifyRequest, appOrigin: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (origin === appOrigin) return true;
  // A page that came without encryption may be anybody's, whatever its host says.
  const { protocol, host: from } = new URL(origin);
  return from === host && (protocol === 'https:' || protocol === new URL(appOrigin).protocol);
}
