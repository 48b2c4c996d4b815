const BUSY = 'The service is busy or being restarted. Try again in a moment.';
const NOT_UNDERSTOOD = 'The service could not process the request of this page. Reload the page.';
const NOT_OFFERED = 'This is not available.';
const SIGN_IN_OVER = 'This sign-in expired or was already completed. Sign in again.';
const ENDED = 'Your session has ended. Sign in again.';
const DOMAIN_REFUSED = 'E-mail addresses of this domain cannot be used.';
const NO_ADDRESS = 'Enter an address like name@example.org.';

/** Messages by error code (`data.error`, `#error=`). */
export const errors = {
  // connection to the service
  unreachable: 'The service cannot be reached. Check your connection and try again.',
  unreadable: 'The response of the service is not valid. Try again in a moment.',
  internal_error: 'Something went wrong in the service. Try again in a moment.',
  database_unavailable: BUSY,
  server_busy: BUSY,
  not_ready: BUSY,
  shutting_down: BUSY,
  request_timeout: 'Your request took too long to arrive. Check your connection and try again.',
  rate_limited: 'Too many attempts. Wait a little and try again.',
  route_not_found: NOT_OFFERED,
  method_not_allowed: NOT_OFFERED,
  body_malformed: NOT_UNDERSTOOD,
  body_too_large: 'The input is too long.',
  content_encoding_unsupported: NOT_UNDERSTOOD,
  content_type_unsupported: NOT_UNDERSTOOD,
  validation_failed: 'Some fields are not valid. Check the marked fields.',
  cross_site_request: 'The request did not come from this page. Reload the page and try again.',
  step_up_required: 'Your sign-in is too long ago. Sign out, sign in again, and repeat this within ten minutes.',
  permission_denied: 'You do not have permission to do this.',

  // signing in
  invalid_credentials: 'The user name, e-mail address or password is wrong.',
  account_inactive: 'This account is not active.',
  local_login_disabled: 'Sign-in with a password is disabled. Use another sign-in method.',
  otp_disabled: 'Sign-in with a code is disabled. Use another sign-in method.',
  otp_invalid: 'The code is wrong or has expired. Check it, or request a new one.',
  mfa_required: 'Your account requires a second factor.',
  mfa_enrollment_required:
    'Add a second factor on your account page. Your role requires one, or the last one was lost.',
  mfa_invalid: 'The code is wrong, has expired, or was already used. Wait for the next code.',
  passkey_invalid: 'The passkey is not registered, or its signature is not valid. Use another sign-in method.',
  mfa_token_invalid: SIGN_IN_OVER,
  code_invalid: SIGN_IN_OVER,

  // signing in with a provider
  provider_not_found: 'This provider is not enabled.',
  provider_denied: 'The provider did not complete the sign-in. You may have cancelled it; try again.',
  provider_unavailable: 'The provider does not respond. Try again later, or use another sign-in method.',
  provider_failed: 'The response of the provider is not valid. Try again, or use another sign-in method.',
  state_invalid: 'This sign-in expired or was started in another browser. Start it again.',
  email_not_verified: 'The provider has not verified your e-mail address. Verify it there, then try again.',
  email_unusable: 'The e-mail address of your provider account cannot be used. Correct it there, then try again.',
  email_taken_by_other_method:
    'An account with this e-mail address already exists. Sign in to it, then link the provider on your account page.',
  identity_mismatch: 'This provider account is not linked to your account. Use the linked one.',
  identity_taken: 'This provider account is already linked to another account.',

  // signing in to an app
  cli_login_disabled: 'Sign-in to apps is disabled.',
  carrier_invalid: 'This sign-in request has expired or was already used. Start it again from the app.',
  redirect_uri_not_allowed: 'The callback address of the app is not allowed.',

  // registering, passwords, addresses
  email_invalid: NO_ADDRESS,
  email_domain_not_allowed: DOMAIN_REFUSED,
  email_domain_blocked: DOMAIN_REFUSED,

  // links, codes, tokens
  token_invalid: 'This link or code is no longer valid. It may have already been used.',
  token_expired: 'This link or code has expired.',
  token_missing: 'You are not signed in.',
  refresh_token_invalid: ENDED,
  refresh_token_expired: ENDED,
  refresh_token_reused: 'Your session was revoked to protect your account. Sign in again.',
  refresh_disabled: ENDED,
};

/** Messages by field error code. The service's message is used for all other codes. */
export const fieldErrors = {
  required: 'Fill in this field.',
  email_invalid: NO_ADDRESS,
};

export const otherErrors = {
  signInFailed: 'The sign-in failed. Try again.',
  failed: 'The action failed. Try again in a moment.',
  fieldInvalid: 'This is not valid.',
  waitFor: (time: string) => `Too many attempts. Wait ${time} and try again.`,
  named: (text: string, fields: string) => `${text} (Fields: ${fields})`,
  reference: (text: string, id: string) => `${text} (Reference: ${id})`,
  notCurrentPassword: 'This is not your current password.',
  registrationRejected: 'You cannot register. Ask an administrator.',
};
