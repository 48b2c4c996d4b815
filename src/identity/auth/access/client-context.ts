import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Language } from '../../../kernel/text/language.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { rememberedTokens } from './device-cookie.js';
import { requestLanguage } from '../../../platform/http/http.public.js';

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

/** Origin of the request, for the audit log. */
export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  return originOf(context.switchToHttp().getRequest<FastifyRequest>());
});

/** Supported language that the request asks for; null if there is none. */
export const SpokenLanguage = createParamDecorator((_data: unknown, context: ExecutionContext): Language | null => {
  return requestLanguage(context.switchToHttp().getRequest<FastifyRequest>());
});

export function originOf({ ip: address, id: requestId, user }: OriginRequest): RequestOrigin {
  const keyId = user?.kind === 'account' ? user.key?.id : undefined;
  return keyId === undefined ? { address, requestId } : { address, requestId, keyId };
}

type OriginRequest = Pick<FastifyRequest, 'id' | 'ip'> & { readonly user?: Principal };
