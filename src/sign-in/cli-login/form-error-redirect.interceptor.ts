import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable, of } from 'rxjs';
import { refusalFragment } from '../../identity/auth/sign-in/refusal-fragment.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { LANGUAGES, pickLanguage } from '../../kernel/text/language.js';

const FORM = /^application\/x-www-form-urlencoded\b/i;
const CARRIER = /^[\w-]{1,8192}\.[\w-]{1,100}$/;
const METHODS = /^[a-z_,]{1,200}$/;
const MFA_TOKEN = /^[\w-]{43}$/;

/** Form fields that the sign-in page needs again. They are not validated. */
interface PostedForm {
  readonly carrier?: unknown;
  readonly mfa_token?: unknown;
  readonly methods?: unknown;
}

type PostedRequest = FastifyRequest<{ Body: PostedForm | undefined; Querystring: { readonly lang?: unknown } }>;

/** The result that Nest expects from a route with `@Redirect()`. */
export interface Redirection {
  readonly url: string;
  readonly statusCode: 302 | 303;
}

/**
 * Redirects a failed form post back to the sign-in page instead of returning a JSON error. The error is in the URL fragment, which is not
 * sent to servers or in `Referer`. Server errors (5xx) are not redirected.
 */
@Injectable()
export class FormErrorRedirectInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<PostedRequest>();
    if (!FORM.test(request.headers['content-type'] ?? '')) return next.handle();
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        return of(backToPage(request, error));
      }),
    );
  }
}

/**
 * Returns the redirect to the page. After a wrong factor the sign-in stays pending, so the URL keeps the MFA token and the page can retry.
 */
function backToPage({ body, query: { lang } }: PostedRequest, error: AppError): Redirection {
  const { carrier, mfa_token: token, methods } = body ?? {};
  const query = new URLSearchParams();
  if (typeof carrier === 'string' && CARRIER.test(carrier)) query.set('cli', carrier);
  const language = typeof lang === 'string' ? pickLanguage([lang], LANGUAGES) : null;
  if (language !== null) query.set('lang', language);
  const isResumable = error.code === 'mfa_invalid' && typeof token === 'string' && MFA_TOKEN.test(token);
  const page = query.size === 0 ? '/dash/login' : `/dash/login?${query.toString()}`;
  const mfaParameter = isResumable ? `&mfa=${token}` : '';
  const methodsParameter =
    isResumable && typeof methods === 'string' && METHODS.test(methods) ? `&methods=${methods}` : '';
  return { url: `${page}${refusalFragment(error)}${mfaParameter}${methodsParameter}`, statusCode: 303 };
}
