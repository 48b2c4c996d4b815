import { refusalFragment } from '../../../identity/auth/sign-in/refusal-fragment.public.js';
import type { AppError } from '../../../kernel/app-error.js';
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

/** The page of a login: where somebody links, where they sign in to a native app, or where they sign in. */
export function pageOf({ carrier, linkSessionId }: Pick<LoginIntent, 'carrier' | 'linkSessionId'>): LoginPage {
  if (linkSessionId !== null) return 'account';
  return carrier === null ? 'sign-in' : { carrier };
}

/** Returns the redirect to the page that explains a refusal, or goes on with the second factor. */
export function refused(refusal: AppError, page: LoginPage): LoginRedirect {
  return { location: `${addressOf(page)}${refusalFragment(refusal)}`, refusal };
}

/** The address of a page, without a fragment. */
export function addressOf(page: LoginPage): string {
  if (page === 'account') return '/dash/account';
  return page === 'sign-in' ? '/dash/login' : `/dash/login?cli=${encodeURIComponent(page.carrier)}`;
}
