import type { FastifyReply, FastifyRequest } from 'fastify';
import { defineLimit } from '../../../kernel/limits.js';

const NAME = 'remembered';
/** Users who share a browser. It stores their tokens, the newest first. */
const MOST = defineLimit(5, 'Accounts', 'accounts that one browser remembers; the oldest is forgotten', null);
const TOKEN = /^[\w-]{43}$/;

/** Returns the tokens by which a browser is remembered, of any account. Malformed ones are omitted. */
export function rememberedTokens({ cookies, server }: FastifyRequest): readonly string[] {
  const value = cookies[server.cookieScope.nameOf(NAME)] ?? '';
  return value.split('.', MOST).filter((token) => TOKEN.test(token));
}

/** Adds a token to the cookie. Scripts cannot read it, and it is also sent on the redirect back from a provider (RFC 6265bis §4.1.2). */
export function giveRememberedToken(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
  const { secure, path, nameOf } = request.server.cookieScope;
  const value = [token, ...rememberedTokens(request)].slice(0, MOST).join('.');
  const options = { path, httpOnly: true, sameSite: 'lax', secure, maxAge } as const;
  void reply.setCookie(nameOf(NAME), value, options);
}
