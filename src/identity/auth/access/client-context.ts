import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../../kernel/text/language.js';
import { defineLimit } from '../../../kernel/limits.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { requestLanguage } from '../../../platform/http/http.public.js';

/** Cookie of a browser with the tokens of its users who share it, the newest first. */
export const REMEMBERED_COOKIE = 'remembered';
export const MAX_REMEMBERED = defineLimit(
  5,
  'Accounts',
  'accounts that one browser remembers; the oldest is removed',
  null,
);
const REMEMBERED_TOKEN = /^[\w-]{43}$/;

/** Origin of a request, as sessions store it and rate limits count it. */
export interface ClientContext extends RequestOrigin {
  /** The `User-Agent`, cut to 255 characters; null if none was sent. */
  readonly device: string | null;
  /** Supported language that the request asks for. A new account gets it. */
  readonly language?: Language | null;
  /** Tokens by which the browser is remembered, of any account. */
  readonly remembered?: readonly string[];
}

/** The {@link ClientContext} of the request. */
export const Client = createParamDecorator((_data: unknown, context: ExecutionContext): ClientContext => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const agent = request.headers['user-agent'];
  const device = agent === undefined ? null : [...agent].slice(0, 255).join('');
  const remembered = rememberedTokens(request);
  return { address: request.ip, requestId: request.id, device, language: requestLanguage(request), remembered };
});

/** A request whose cookies are read, and the reply that sets others. */
export interface BrowserContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The {@link BrowserContext} of the request. */
export const Browser = createParamDecorator((_data: unknown, context: ExecutionContext): BrowserContext => {
  const http = context.switchToHttp();
  return { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
});

/** Origin of the request, for the audit log. */
export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  return originOf(context.switchToHttp().getRequest<FastifyRequest>());
});

/** Supported language that the request asks for; null if there is none. */
export const RequestLanguage = createParamDecorator((_data: unknown, context: ExecutionContext): Language | null => {
  return requestLanguage(context.switchToHttp().getRequest<FastifyRequest>());
});

export function originOf({ ip: address, id: requestId, user }: OriginRequest): RequestOrigin {
  const keyId = user?.kind === 'account' ? user.key?.id : undefined;
  return keyId === undefined ? { address, requestId } : { address, requestId, keyId };
}

type OriginRequest = Pick<FastifyRequest, 'id' | 'ip'> & { readonly user?: Principal };

/** Malformed tokens are omitted. */
function rememberedTokens({ cookies, server }: FastifyRequest): readonly string[] {
  const value = cookies[server.cookieScope.nameOf(REMEMBERED_COOKIE)] ?? '';
  return value.split('.', MAX_REMEMBERED).filter((token) => REMEMBERED_TOKEN.test(token));
}
