import type { FastifyReply, FastifyRequest } from 'fastify';

/** Over https it is tied to this very host, so that no sibling host can plant one. */
const SECURE_NAME = '__Host-remembered';
const NAME = 'remembered';
/** People who share a browser, whose tokens it keeps, the newest first. */
const MOST = 5;
const TOKEN = /^[\w-]{43}$/;

/** Returns the tokens by which a browser is remembered, of whichever accounts; what is no token is left out. */
export function rememberedTokens({ cookies }: FastifyRequest): readonly string[] {
  const value = cookies[SECURE_NAME] ?? cookies[NAME] ?? '';
  return value.split('.', MOST).filter((token) => TOKEN.test(token));
}

/**
 * Gives a browser one more token. No script reads it; it is sent along when a provider leads back here (RFC 6265bis §4.1.2).
 *
 * @param secure whether the service is reached over https.
 */
export function giveRememberedToken(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { secure, maxAge }: { readonly secure: boolean; readonly maxAge: number },
): void {
  const value = [token, ...rememberedTokens(request)].slice(0, MOST).join('.');
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge } as const;
  void reply.setCookie(secure ? SECURE_NAME : NAME, value, options);
}
