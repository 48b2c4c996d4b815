import { refusalFragment } from '../../../identity/auth/sign-in/refusal-fragment.public.js';
import type { AppError } from '../../../kernel/errors/app-error.js';
import type { Language } from '../../../kernel/text/language.js';
import type { LoginIntent } from '../providers/provider.types.js';

/** The page that the browser goes to next, and the refusal that it explains, if there is one. */
export interface LoginRedirect {
  readonly location: string;
  readonly refusal: AppError | null;
}

/** Returns a redirect after a success. */
export function succeeded(location: string): LoginRedirect {
  return { location, refusal: null };
}

/** The page that a login began on, as far as it is known. */
export type LoginPage = 'sign-in' | 'account' | { readonly carrier: string };

/** Returns the page of a login: where somebody links, where they sign in to a native app, or where they sign in. */
export function pageOf({ carrier, linkSessionId }: Pick<LoginIntent, 'carrier' | 'linkSessionId'>): LoginPage {
  if (linkSessionId !== null) return 'account';
  return carrier === null ? 'sign-in' : { carrier };
}

/** A page, and the language that its address asked for. */
export interface ReturnPage {
  readonly page: LoginPage;
  readonly language: Language | null;
  /** Whether a signed-in user was proven once more. */
  readonly isStepUp?: boolean;
}

/** Returns the redirect to the page that explains a refusal, or goes on with the second factor. */
export function refused(refusal: AppError, { page, language }: ReturnPage): LoginRedirect {
  return { location: `${addressOf(page, language)}${refusalFragment(refusal)}`, refusal };
}

/** Returns the address of a page that speaks a language, without a fragment. */
export function addressOf(page: LoginPage, language: Language | null): string {
  const query = new URLSearchParams();
  if (typeof page === 'object') query.set('cli', page.carrier);
  if (language !== null) query.set('lang', language);
  const path = page === 'account' ? '/dash/account' : '/dash/login';
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
