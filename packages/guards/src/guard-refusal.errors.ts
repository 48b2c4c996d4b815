import { HttpException } from '@nestjs/common';

/** Errors of a guarded service, with the codes and messages of the issuer. */
const REFUSALS = {
  token_missing: { status: 401, message: 'No access token was sent. Sign in first.' },
  token_invalid: { status: 401, message: 'The token is not valid.' },
  token_expired: { status: 401, message: 'The token has expired.' },
  key_invalid: { status: 401, message: 'The API key is not valid.' },
  key_not_allowed: { status: 403, message: 'API keys cannot be used here. Sign in as a user.' },
  permission_denied: { status: 403, message: 'You do not have permission to do this.' },
  issuer_unavailable: { status: 503, message: 'The access token cannot be checked at the moment. Try again.' },
} as const;

/** Rejects a request with the error envelope of the issuer. It also works with Nest's default exception filter. */
export class GuardRefusal extends HttpException {
  constructor(
    readonly code: keyof typeof REFUSALS,
    cause?: unknown,
  ) {
    const { status, message } = REFUSALS[code];
    super({ code: String(status), message, data: { error: code } }, status, { cause });
  }
}
