import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { TokenSet } from '../sign-in/sign-in.service.js';
import { BrowserSessions, SESSION_HEADER } from './browser-session.service.js';

/** Returns the token set of a sign-in, or stores its session in cookies. */
@Injectable()
class TokenDelivery implements NestInterceptor<object, object> {
  constructor(private readonly browsers: BrowserSessions) {}

  /** @throws AppError `cross_site_request` before the handler runs. */
  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    if (!this.browsers.isRequested(request)) return next.handle();
    const storeInCookies = async (answer: object) =>
      isTokenSet(answer) ? this.browsers.store({ request, reply }, answer) : answer;
    return next.handle().pipe(mergeMap(storeInCookies));
  }
}

function isTokenSet(answer: object): answer is TokenSet {
  return 'token' in answer && 'expires' in answer;
}

export function AcceptsSessionHeader(): MethodDecorator {
  const description = '`cookie`, for pages of the same origin: stores the refresh token in an `HttpOnly` cookie.';
  return applyDecorators(
    ApiHeader({ name: SESSION_HEADER, required: false, description, schema: { type: 'string', enum: ['cookie'] } }),
    Throws('cross_site_request', 'validation_failed'),
  );
}

/** Marks a route that returns the token set of a sign-in. Our own pages can get the session in cookies. */
export function IssuesTokens(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TokenDelivery),
    ApiOkResponse({ type: TokenSet }),
    AcceptsSessionHeader(),
    Throws('mfa_required', { code: 'mfa_enrollment_required', status: 401 }),
  );
}

/** Marks a route that completes a sign-in with an `mfa_token`, and returns `other` to a signed-in user. */
export function MayIssueTokens(other: Type): MethodDecorator {
  return applyDecorators(
    UseInterceptors(TokenDelivery),
    ApiExtraModels(TokenSet, other),
    ApiOkResponse({ schema: { oneOf: [{ $ref: getSchemaPath(other) }, { $ref: getSchemaPath(TokenSet) }] } }),
    AcceptsSessionHeader(),
  );
}
