/** What a person is told about an error value, and the input it belongs to where a form has it. */
export interface Sentence {
  text: string;
  /** Names of inputs, the first one that the form has is meant. */
  fields?: string[];
}

/** The one table from error value (`data.error`, `#error=`) to sentence. */
export const ERROR_SENTENCES: Readonly<Record<string, Sentence>> = {
  // the way to the service
  unreachable: { text: 'The service cannot be reached. Check your connection and try again.' },
  unreadable: { text: 'The service gave an answer that this page does not understand. Try again in a moment.' },
  internal_error: { text: 'Something went wrong in the service. Try again in a moment.' },
  database_unavailable: { text: 'The service is busy or being restarted. Try again in a moment.' },
  server_busy: { text: 'The service is busy or being restarted. Try again in a moment.' },
  not_ready: { text: 'The service is busy or being restarted. Try again in a moment.' },
  shutting_down: { text: 'The service is busy or being restarted. Try again in a moment.' },
  request_timeout: { text: 'Your request took too long to arrive. Check your connection and try again.' },
  rate_limited: { text: 'Too many attempts. Wait a little and try again.' },
  route_not_found: { text: 'This is not offered here.' },
  method_not_allowed: { text: 'This is not offered here.' },
  session_not_found: { text: 'This session has ended already. Reload the page.' },
  body_malformed: { text: 'The service did not understand what this page sent. Reload the page.' },
  body_too_large: { text: 'What you entered is too long.' },
  content_encoding_unsupported: { text: 'The service did not understand what this page sent. Reload the page.' },
  content_type_unsupported: { text: 'The service did not understand what this page sent. Reload the page.' },
  validation_failed: { text: 'Some of what you entered is not valid. Check the marked fields.' },
  cross_site_request: { text: 'The request did not come from this page. Reload the page and try once more.' },
  step_up_required: {
    text: 'You signed in too long ago for this. Sign out, sign in again, and do it within ten minutes.',
  },
  permission_denied: { text: 'Your account may not do this.' },

  // signing in
  invalid_credentials: { text: 'The user name, e-mail address or password is not right.' },
  account_inactive: { text: 'This account is not active yet.' },
  local_login_disabled: { text: 'Signing in with a password is turned off here. Use one of the other ways.' },
  otp_disabled: { text: 'Signing in with a code is turned off here. Use one of the other ways.' },
  otp_invalid: { text: 'The code is not right, or it has expired. Check it or ask for a new one.', fields: ['code'] },
  code_invalid: { text: 'This sign-in took too long or was used already. Please sign in again.' },

  // signing in with a provider
  provider_not_found: { text: 'This provider is not offered here.' },
  provider_denied: { text: 'The provider did not complete the sign-in. You may have cancelled it; try again.' },
  provider_unavailable: {
    text: 'The provider does not answer at the moment. Try again later, or sign in another way.',
  },
  provider_failed: { text: 'The provider gave an answer that cannot be trusted. Try again, or sign in another way.' },
  state_invalid: { text: 'This sign-in took too long, or was started in another browser. Please start it again.' },
  email_not_verified: { text: 'The provider has not verified your e-mail address. Verify it there, then try again.' },
  email_taken_by_other_method: {
    text: 'An account with this e-mail address exists already. Sign in to it the way you did before, then link the provider on your account page.',
  },
  identity_taken: { text: 'This account of the provider is already linked to another account here.' },
  identity_not_found: { text: 'This provider is no longer linked. Reload the page.' },
  last_way_in: { text: 'This is your only way to sign in, so it cannot be removed.' },

  // signing in to an app
  cli_login_disabled: { text: 'Signing in to apps is turned off here.' },
  carrier_invalid: { text: 'This sign-in request has expired or was used already. Start it again from the app.' },
  redirect_uri_not_allowed: { text: 'The app asked to be called back at an address that is not allowed.' },

  // registering, passwords, addresses
  password_too_short: { text: 'Use at least 8 characters.', fields: ['password'] },
  password_too_long: { text: 'Use at most 256 characters.', fields: ['password'] },
  password_too_common: { text: 'This password is among the most common ones. Choose another.', fields: ['password'] },
  password_mismatch: { text: 'The two passwords differ.', fields: ['password_confirmation'] },
  email_taken: { text: 'This e-mail address belongs to an account already.', fields: ['email', 'new_email'] },
  email_unchanged: { text: 'This is your e-mail address already.', fields: ['new_email'] },
  email_invalid: { text: 'Enter an address like name@example.org.', fields: ['email', 'new_email'] },
  email_domain_not_allowed: {
    text: 'E-mail addresses of this domain cannot be used here.',
    fields: ['email', 'new_email'],
  },
  email_domain_blocked: {
    text: 'E-mail addresses of this domain cannot be used here.',
    fields: ['email', 'new_email'],
  },
  username_taken: { text: 'This user name is taken. Choose another.', fields: ['username'] },
  username_reserved: { text: 'This user name cannot be used. Choose another.', fields: ['username'] },
  username_invalid: { text: 'This user name cannot be used. Choose another.', fields: ['username'] },
  not_a_local_account: { text: 'Your account signs in through a provider. Change the address there.' },
  activation_not_by_email: { text: 'Accounts are not activated by e-mail here. Ask an administrator.' },

  // links, codes, tokens
  token_invalid: { text: 'This link or code is no longer valid. It may have been used already.' },
  token_expired: { text: 'This link or code has expired.' },
  token_missing: { text: 'You are not signed in.' },
  refresh_token_invalid: { text: 'Your session has ended. Please sign in again.' },
  refresh_token_expired: { text: 'Your session has ended. Please sign in again.' },
  refresh_token_reused: { text: 'Your session was ended to protect your account. Please sign in again.' },
  refresh_disabled: { text: 'Your session has ended. Please sign in again.' },

  // first set-up
  setup_token_invalid: {
    text: 'This set-up token is not valid. The service’s log shows the right one.',
    fields: ['token'],
  },
  setup_completed: { text: 'The first administrator exists already. Sign in instead.' },
};

/** Sentences for the `code` of one field fault; the service's own message stands in for the rest. */
export const FIELD_SENTENCES: Readonly<Record<string, string>> = {
  required: 'Fill in this field.',
  password_too_short: 'Use at least 8 characters.',
  password_too_long: 'Use at most 256 characters.',
  password_too_common: 'This password is among the most common ones. Choose another.',
  email_invalid: 'Enter an address like name@example.org.',
};

/** Said where a failed sign-in names no reason that this page knows. */
export const SIGN_IN_FAILED = 'The sign-in did not succeed. Please try again.';
