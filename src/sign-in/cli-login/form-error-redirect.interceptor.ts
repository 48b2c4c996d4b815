import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable, of } from 'rxjs';
import { AppError } from '../../kernel/app-error.js';

const FORM = /^application\/x-www-form-urlencoded\b/i;
const CARRIER = /^[\w-]{1,8192}\.[\w-]{1,100}$/;

/** A redirect in the framework's words: what a route with `@Redirect()` may answer. */
export interface Redirection {
  readonly url: string;
  readonly statusCode: 302 | 303;
}

/**
 * A person who posted a form sees a page and not an envelope: what is refused goes back to the sign-in page, with the
 * error in the fragment, which no server and no `Referer` sees (CONTRACT §3). Faults of ours stay faults.
 */
@Injectable()
export class FormErrorRedirectInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Body: { carrier?: unknown } | undefined }>>();
    if (!FORM.test(request.headers['content-type'] ?? '')) return next.handle();
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        return of(backToPage(request.body?.carrier, error));
      }),
    );
  }
}

function backToPage(carrier: unknown, error: AppError): Redirection {
  const query = typeof carrier === 'string' && CARRIER.test(carrier) ? `?cli=${carrier}` : '';
  return { url: `/dash/login${query}#error=${error.code}`, statusCode: 303 };
}
