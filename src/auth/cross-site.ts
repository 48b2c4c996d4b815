import type { FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request that is authorised by a cookie alone comes from our own pages: it is safe, or the browser says that
 * it is same-origin by `Sec-Fetch-Site` (W3C Fetch Metadata) or by an `Origin` (RFC 6454) that is ours or the one asked.
 */
export function isSameSiteRequest(request: FastifyRequest, appOrigin: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (origin === appOrigin) return true;
  // A page that came without encryption may be anybody's, whatever its host says.
  const { protocol, host: from } = new URL(origin);
  return from === host && (protocol === 'https:' || protocol === new URL(appOrigin).protocol);
}
