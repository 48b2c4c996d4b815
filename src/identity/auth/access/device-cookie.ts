import type { FastifyReply, FastifyRequest } from 'fastify';
import { defineLimit } from '../../../kernel/limits.js';

const NAME = 'remembered';
/** People who share a browser, whose tokens it keeps, the newest first. */
const MOST = defineLimit(5, 'Accounts', 'accounts that one browser remembers; the oldest is forgotten', null);
const TOKEN = /^[\w-]{43}$/;

/** Returns the tokens by which a browser is remembered, of whichever accounts; what is no token is left out. */
export function rememberedTokens({ cookies, server }: FastifyRequest): readonly string[] {
  const value = cookies[server.cookieScope.nameOf(NAME)] ?? '';
  return value.split('.', MOST).filter((token) => TOKEN.test(token));
}

/**
 * Gives a browser one more token. No script reads it; it is sent along when a provider leads back here (RFC 6265bis §4.1.2).
 */
export function giveRememberedToken(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
  const { secure, path, nameOf } = request.server.cookieScope;
  const value = [token, ...rememberedTokens(request)].slice(0, MOST).join('.');
  const options = { path, httpOnly: true, sameSite: 'lax', secure, maxAge } as const;
  void reply.setCookie(nameOf(NAME), value, options);
}
