import type { AppError } from '../../../kernel/errors/app-error.js';

/** The code, and for a waiting sign-in its token, as a URL fragment. Fragments are not sent to servers, not even in `Referer`. */
export function refusalFragment({ code, details }: AppError): string {
  const { mfa_token: token, methods } = details as {
    readonly mfa_token?: string;
    readonly methods?: readonly string[];
  };
  if (token === undefined) return `#error=${code}`;
  return `#error=${code}&mfa=${token}&methods=${(methods ?? []).join(',')}`;
}
