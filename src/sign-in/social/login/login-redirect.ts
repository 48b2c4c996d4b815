import { refusalFragment } from '../../../identity/auth/sign-in/refusal-fragment.public.js';
import type { AppError } from '../../../kernel/errors/app-error.js';
import type { Language } from '../../../kernel/text/language.js';
import type { LoginIntent } from '../providers/provider.types.js';

export interface LoginRedirect {
  readonly location: string;
  readonly refusal: AppError | null;
}

export function redirectTo(location: string): LoginRedirect {
  return { location, refusal: null };
}

export type LoginPage = 'sign-in' | 'account' | { readonly carrier: string };

export function pageOf({ carrier, linkSessionId }: Pick<LoginIntent, 'carrier' | 'linkSessionId'>): LoginPage {
  if (linkSessionId !== null) return 'account';
  return carrier === null ? 'sign-in' : { carrier };
}

export interface ReturnPage {
  readonly page: LoginPage;
  readonly language: Language | null;
  readonly isStepUp?: boolean;
}

export function redirectWithError(refusal: AppError, { page, language }: ReturnPage): LoginRedirect {
  return { location: `${addressOf(page, language)}${refusalFragment(refusal)}`, refusal };
}

/** Returns the URL of a page without a fragment. */
export function addressOf(page: LoginPage, language: Language | null): string {
  const query = new URLSearchParams();
  if (typeof page === 'object') query.set('cli', page.carrier);
  if (language !== null) query.set('lang', language);
  const path = page === 'account' ? '/dash/account' : '/dash/login';
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
