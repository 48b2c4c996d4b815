import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { Throws } from '../../../platform/http/documentation.decorators.js';
import { TokenSet } from '../sign-in/sign-in.service.js';
import { BrowserSessions, type BrowserToken, SESSION_HEADER } from './browser-session.service.js';

/** Hands a token set to whoever signed in: as it is, or with what keeps the session going in a cookie. */
@Injectable()
class TokenDelivery implements NestInterceptor<TokenSet, TokenSet | BrowserToken> {
  constructor(private readonly browsers: BrowserSessions) {}

  /** @throws AppError `cross_site_request` before anything else is looked at. */
  intercept(context: ExecutionContext, next: CallHandler<TokenSet>): Observable<TokenSet | BrowserToken> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    if (!this.browsers.isAskedFor(request)) return next.handle();
    return next.handle().pipe(mergeMap((set) => this.browsers.keep(request, reply, set)));
  }
}

/** Documents the header by which a page of ours asks for a session in its browser. */
export function TakesSessionHeader(): MethodDecorator {
  const description =
    '`cookie` for pages of this very origin: what keeps the session going stands in an `HttpOnly` cookie.';
  return applyDecorators(
    ApiHeader({ name: SESSION_HEADER, required: false, description, schema: { type: 'string', enum: ['cookie'] } }),
    Throws('cross_site_request', 'validation_failed'),
  );
}

/** Marks a route that answers the token set of a sign-in, to pages of ours with its session in a cookie. */
export function GivesTokens(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TokenDelivery),
    ApiOkResponse({ type: TokenSet }),
    TakesSessionHeader(),
    Throws('mfa_required'),
  );
}
