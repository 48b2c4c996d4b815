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

/** Fields of a form with which the page goes on. Nothing of them was looked at. */
interface PostedForm {
  readonly carrier?: unknown;
  readonly mfa_token?: unknown;
  readonly methods?: unknown;
}

type PostedRequest = FastifyRequest<{ Body: PostedForm | undefined; Querystring: { readonly lang?: unknown } }>;

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

/** Leads back to the page. A wrong factor leaves the sign-in that waits for it: the page asks once more. */
function backToPage({ body, query: { lang } }: PostedRequest, error: AppError): Redirection {
  const { carrier, mfa_token: token, methods } = body ?? {};
  const query = new URLSearchParams();
  if (typeof carrier === 'string' && CARRIER.test(carrier)) query.set('cli', carrier);
  const language = typeof lang === 'string' ? pickLanguage([lang], LANGUAGES) : null;
  if (language !== null) query.set('lang', language);
  const isKept = error.code === 'mfa_invalid' && typeof token === 'string' && MFA_TOKEN.test(token);
  const page = query.size === 0 ? '/dash/login' : `/dash/login?${query.toString()}`;
  const kept = isKept ? `&mfa=${token}` : '';
  const known = isKept && typeof methods === 'string' && METHODS.test(methods) ? `&methods=${methods}` : '';
  return { url: `${page}${refusalFragment(error)}${kept}${known}`, statusCode: 303 };
}
