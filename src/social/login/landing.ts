import type { AppError } from '../../kernel/app-error.js';
import type { LoginIntent } from '../providers/provider.types.js';

/** Where the browser goes next, and why where that is no success. */
export interface Landing {
  readonly location: string;
  readonly refusal: AppError | null;
}

/** A landing that is a success. */
export function arrived(location: string): Landing {
  return { location, refusal: null };
}

/** The page that a login began on, as far as it is known. */
export type LoginPage = 'sign-in' | 'account' | { readonly carrier: string };

/** The page of a login: where somebody links, where they sign in to a native app, or where they sign in. */
export function pageOf({ carrier, linkSessionId }: Pick<LoginIntent, 'carrier' | 'linkSessionId'>): LoginPage {
  if (linkSessionId !== null) return 'account';
  return carrier === null ? 'sign-in' : { carrier };
}

/** A refusal, with the page that explains it. The fragment carries the error value only. */
export function refused(refusal: AppError, page: LoginPage): Landing {
  return { location: `${addressOf(page)}#error=${refusal.code}`, refusal };
}

/** The address of a page, without a fragment. */
export function addressOf(page: LoginPage): string {
  if (page === 'account') return '/dash/account';
  return page === 'sign-in' ? '/dash/login' : `/dash/login?cli=${encodeURIComponent(page.carrier)}`;
}
