import type { FastifyRequest } from 'fastify';

/** A token and its source. A token in a cookie was sent by the browser, not by the caller. */
export interface PresentedToken {
  readonly token: string;
  readonly from: 'header' | 'cookie';
}

const TOKEN_COOKIE = /(?:^|;)\s*token\s*=/g;
const BEARER = /^Bearer(?: +(.*))?$/i;

/**
 * Header `Authorization: Bearer …` (RFC 6750 §2.1), else cookie `token`. All text after `Bearer` is the token, even trailing characters.
 */
export function findToken(request: FastifyRequest): PresentedToken | null {
  const header = request.headers.authorization;
  const bearer = header === undefined ? null : BEARER.exec(header);
  if (bearer !== null) return { token: bearer[1] ?? '', from: 'header' };
  // Two cookies with this name have different sources, and the server cannot tell which one is ours.
  if ((request.headers.cookie?.match(TOKEN_COOKIE)?.length ?? 0) > 1) return { token: '', from: 'cookie' };
  const cookie = request.cookies['token'];
  return cookie === undefined || cookie === '' ? null : { token: cookie, from: 'cookie' };
}
