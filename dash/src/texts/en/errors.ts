const BUSY = 'The service is busy or being restarted. Try again in a moment.';
const NOT_UNDERSTOOD = 'The service did not understand what this page sent. Reload the page.';
const NOT_OFFERED = 'This is not offered here.';
const SIGN_IN_OVER = 'This sign-in expired or was already completed. Please sign in again.';
const ENDED = 'Your session has ended. Please sign in again.';
const DOMAIN_REFUSED = 'E-mail addresses of this domain cannot be used here.';
const NO_ADDRESS = 'Enter an address like name@example.org.';

/** Messages by error code (`data.error`, `#error=`). */
export const errors = {
  // the way to the service
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
  body_too_large: 'What you entered is too long.',
  content_encoding_unsupported: NOT_UNDERSTOOD,
  content_type_unsupported: NOT_UNDERSTOOD,
  validation_failed: 'Some of what you entered is not valid. Check the marked fields.',
  cross_site_request: 'The request did not come from this page. Reload the page and try once more.',
  step_up_required: 'You signed in too long ago for this. Sign out, sign in again, and do it within ten minutes.',
  permission_denied: 'Your account may not do this.',

  // signing in
  invalid_credentials: 'The user name, e-mail address or password is not right.',
  account_inactive: 'This account is not active yet.',
  local_login_disabled: 'Signing in with a password is turned off here. Use one of the other ways.',
  otp_disabled: 'Signing in with a code is turned off here. Use one of the other ways.',
  otp_invalid: 'The code is not right, or it has expired. Check it or ask for a new one.',
  mfa_required: 'Your account asks for a second factor.',
  mfa_enrollment_required:
    'Add a second factor on your account page. Your role requires one, or the last one was lost.',
  mfa_invalid: 'The code is not right, has expired, or was used before. Wait for the next one.',
  passkey_invalid: 'This passkey is not known here, or did not answer as it should. Sign in another way.',
  mfa_token_invalid: SIGN_IN_OVER,
  code_invalid: SIGN_IN_OVER,

  // signing in with a provider
  provider_not_found: 'This provider is not offered here.',
  provider_denied: 'The provider did not complete the sign-in. You may have cancelled it; try again.',
  provider_unavailable: 'The provider does not answer at the moment. Try again later, or sign in another way.',
  provider_failed: 'The provider gave an answer that cannot be trusted. Try again, or sign in another way.',
  state_invalid: 'This sign-in expired or was started in another browser. Please start it again.',
  email_not_verified: 'The provider has not verified your e-mail address. Verify it there, then try again.',
  email_unusable:
    'The e-mail address of your account at the provider cannot be used here. Correct it there, then try again.',
  email_taken_by_other_method:
    'This e-mail address already has an account. Sign in to it, then link the provider on your account page.',
  identity_mismatch: 'This account of the provider is not linked to your account. Use the linked one.',
  identity_taken: 'This account of the provider is already linked to another account here.',

  // signing in to an app
  cli_login_disabled: 'Signing in to apps is turned off here.',
  carrier_invalid: 'This sign-in request has expired or was used already. Start it again from the app.',
  redirect_uri_not_allowed: 'The callback address of the app is not allowed.',

  // registering, passwords, addresses
  email_invalid: NO_ADDRESS,
  email_domain_not_allowed: DOMAIN_REFUSED,
  email_domain_blocked: DOMAIN_REFUSED,

  // links, codes, tokens
  token_invalid: 'This link or code is no longer valid. It may have been used already.',
  token_expired: 'This link or code has expired.',
  token_missing: 'You are not signed in.',
  refresh_token_invalid: ENDED,
  refresh_token_expired: ENDED,
  refresh_token_reused: 'Your session was ended to protect your account. Please sign in again.',
  refresh_disabled: ENDED,
};

/** Messages by field error code. The service's message is used for all other codes. */
export const fieldErrors = {
  required: 'Fill in this field.',
  email_invalid: NO_ADDRESS,
};

export const otherErrors = {
  signInFailed: 'The sign-in did not succeed. Please try again.',
  failed: 'This did not work. Try again in a moment.',
  fieldInvalid: 'This is not valid.',
  waitFor: (time: string) => `Too many attempts. Wait ${time} and try again.`,
  named: (text: string, fields: string) => `${text} (Fields: ${fields})`,
  reference: (text: string, id: string) => `${text} (Reference: ${id})`,
  notCurrentPassword: 'This is not your current password.',
  registrationRejected: 'You cannot register here. Ask an administrator.',
};
