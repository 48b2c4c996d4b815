import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Authentication', {
  invalid_credentials: { status: 401, message: 'The login or the password is wrong.' },
  account_inactive: { status: 401, message: 'This account is not active.' },
  local_login_disabled: { status: 403, message: 'Sign-in with a password or a mailed code is disabled.' },
  refresh_token_invalid: { status: 401, message: 'The refresh token is not valid.' },
  refresh_token_expired: { status: 401, message: 'The refresh token has expired.' },
  refresh_token_reused: {
    status: 401,
    message: 'The refresh token was already used, so its session was revoked. Sign in again.',
  },
  refresh_disabled: { status: 403, message: 'Refresh tokens are disabled.' },
  key_not_allowed: { status: 403, message: 'API keys cannot be used here. Sign in as a user.' },
  session_not_found: { status: 404, message: 'Session not found.' },
  device_not_found: { status: 404, message: 'Remembered browser not found.' },
  mfa_required: { status: 401, message: 'A second factor is required to sign in.' },
  mfa_enrollment_required: { status: 403, message: 'Add a second factor to continue.' },
  mfa_invalid: { status: 401, message: 'The second factor is not valid or was already used.' },
  mfa_token_invalid: { status: 401, message: 'This sign-in has expired or was already completed. Sign in again.' },
  code_invalid: { status: 401, message: 'The code is not valid, has expired or was already used.' },
  carrier_invalid: { status: 400, message: 'The carrier is not valid, has expired or was already used.' },
});

const VIEW_AS_ERRORS = defineErrors('View as', {
  view_as_invalid: {
    status: 400,
    message: 'Lintel-View-As must be guest, role:<name> of an existing role, or user:<id> of an active account.',
  },
  view_as_read_only: { status: 403, message: 'Viewing as another user is read-only.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS | keyof typeof VIEW_AS_ERRORS, ErrorRow> {}
}
