import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Authentication', {
  invalid_credentials: { status: 401, message: 'The login or the password is wrong.' },
  account_inactive: { status: 401, message: 'This account is not activated.' },
  local_login_disabled: { status: 403, message: 'Signing in with a password or a mailed code is switched off.' },
  refresh_token_invalid: { status: 401, message: 'The refresh token is not valid.' },
  refresh_token_expired: { status: 401, message: 'The refresh token has expired.' },
  refresh_token_reused: { status: 401, message: 'The refresh token was used before; its session has been ended.' },
  refresh_disabled: { status: 403, message: 'Refresh tokens are switched off.' },
  key_not_allowed: { status: 403, message: 'This is for people who are signed in, and not for API keys.' },
  session_not_found: { status: 404, message: 'There is no such session.' },
  device_not_found: { status: 404, message: 'There is no such remembered browser.' },
  mfa_required: { status: 401, message: 'A second factor is needed to sign in.' },
  mfa_enrollment_required: { status: 403, message: 'Add a second factor before you go on.' },
  mfa_invalid: { status: 401, message: 'This is no valid second factor, or it was used before.' },
  mfa_token_invalid: { status: 401, message: 'This sign-in has expired or was completed. Please sign in again.' },
  code_invalid: { status: 401, message: 'The code is not valid, has expired or was used already.' },
  carrier_invalid: { status: 400, message: 'The carrier is not valid, has expired or was used already.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
