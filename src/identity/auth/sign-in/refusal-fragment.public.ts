import type { AppError } from '../../../kernel/errors/app-error.js';

/**
 * Returns the fragment by which a page is told of a refusal: the error value, and for a sign-in that waits for its second factor
 * what it goes on with. No server and no `Referer` sees it.
 */
export function refusalFragment({ code, details }: AppError): string {
  const { mfa_token: token, methods } = details as {
    readonly mfa_token?: string;
    readonly methods?: readonly string[];
  };
  if (token === undefined) return `#error=${code}`;
  return `#error=${code}&mfa=${token}&methods=${(methods ?? []).join(',')}`;
}
