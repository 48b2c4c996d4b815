import { HttpException } from '@nestjs/common';

/** Refusals of a guarded service, in the words of the issuer. */
const REFUSALS = {
  token_missing: { status: 401, message: 'Sign in first: no access token was sent.' },
  token_invalid: { status: 401, message: 'The token is not valid.' },
  token_expired: { status: 401, message: 'The token has expired.' },
  key_invalid: { status: 401, message: 'The API key is not valid.' },
  key_not_allowed: { status: 403, message: 'This is for people who are signed in, and not for API keys.' },
  permission_denied: { status: 403, message: 'You are not allowed to do this.' },
  issuer_unavailable: { status: 503, message: 'Who you are cannot be checked at the moment; try again.' },
} as const;

/** Refuses a request, in the envelope of the issuer: with the framework's own filter, too. */
export class GuardRefusal extends HttpException {
  constructor(
    readonly code: keyof typeof REFUSALS,
    cause?: unknown,
  ) {
    const { status, message } = REFUSALS[code];
    super({ code: String(status), message, data: { error: code } }, status, { cause });
  }
}
