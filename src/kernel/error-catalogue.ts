/** One row of the catalogue: the HTTP status and the public text of an error value. */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

/**
 * Every `data.error` value that the service answers (CONTRACT §2 and §3). `docs/errors.md` and OpenAPI are made from this
 * table; a value that is not here does not compile.
 */
export const ERROR_CATALOGUE = {
  // Requests
  route_not_found: { status: 404, message: 'There is no such route.' },
  method_not_allowed: { status: 405, message: 'This route does not answer this method.' },
  body_malformed: { status: 400, message: 'The body is not well-formed JSON.' },
  body_too_deep: { status: 400, message: 'The body is nested too deeply.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  content_type_unsupported: { status: 415, message: 'This content type is not supported; send application/json.' },
  content_encoding_unsupported: { status: 415, message: 'A body in this encoding is not read; send it as it is.' },
  request_malformed: { status: 400, message: 'The request is malformed.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  validation_failed: { status: 422, message: 'Some fields are missing or malformed.' },
  rate_limited: { status: 429, message: 'Too many attempts; try again later.' },
  cross_site_request: { status: 403, message: 'The request does not come from a page of this service.' },
  server_busy: { status: 503, message: 'The service is busy; try again in a moment.' },
  database_unavailable: { status: 503, message: 'The database is not available; try again in a moment.' },
  query_timeout: { status: 503, message: 'This took the database too long; ask for less, or try again in a moment.' },
  not_ready: { status: 503, message: 'The service is not ready yet.' },
  shutting_down: { status: 503, message: 'The service is shutting down.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },

  // Exceptions of an application's own that name no error value: one for each status
  bad_request: { status: 400, message: 'The request cannot be answered as it is.' },
  unauthorized: { status: 401, message: 'Sign in first.' },
  payment_required: { status: 402, message: 'This has to be paid for.' },
  forbidden: { status: 403, message: 'This is not for you.' },
  not_found: { status: 404, message: 'There is nothing of that kind here.' },
  not_acceptable: { status: 406, message: 'There is no answer of a type that you accept.' },
  conflict: { status: 409, message: 'This does not go with what is there already.' },
  gone: { status: 410, message: 'This is not there any more.' },
  precondition_failed: { status: 412, message: 'A condition of the request does not hold.' },
  im_a_teapot: { status: 418, message: 'This is a teapot.' },
  misdirected: { status: 421, message: 'The request went to the wrong place.' },
  unprocessable: { status: 422, message: 'The request is understood, but cannot be done.' },
  too_many_requests: { status: 429, message: 'Too many requests; try again later.' },
  not_implemented: { status: 501, message: 'This is not possible here.' },
  bad_gateway: { status: 502, message: 'A service behind this one gave no usable answer.' },
  service_unavailable: { status: 503, message: 'This is not available at the moment; try again later.' },
  gateway_timeout: { status: 504, message: 'A service behind this one did not answer in time.' },
  http_version_not_supported: { status: 505, message: 'This version of HTTP is not supported.' },

  // Who are you, and may you
  token_missing: { status: 401, message: 'Sign in first: no access token was sent.' },
  token_invalid: { status: 401, message: 'The token is not valid.' },
  token_expired: { status: 401, message: 'The token has expired.' },
  step_up_required: { status: 401, message: 'Sign in again to do this; your last sign-in is too long ago.' },
  permission_denied: { status: 403, message: 'You are not allowed to do this.' },

  // Signing in and signing up
  invalid_credentials: { status: 401, message: 'The login or the password is wrong.' },
  account_inactive: { status: 401, message: 'This account is not activated.' },
  local_login_disabled: { status: 403, message: 'Signing in with a password or a mailed code is switched off.' },
  password_mismatch: { status: 400, message: 'The password and its confirmation differ.' },
  email_taken: { status: 400, message: 'This e-mail address is already in use.' },
  username_taken: { status: 400, message: 'This username is already in use.' },
  email_domain_not_allowed: { status: 400, message: 'Addresses of this e-mail domain may not register.' },
  email_domain_blocked: { status: 400, message: 'Addresses of this e-mail domain may not register.' },
  username_reserved: { status: 400, message: 'This username is reserved.' },
  activation_not_by_email: { status: 400, message: 'Accounts are not activated by mail here.' },
  not_a_local_account: { status: 400, message: 'This account has no password; its address is kept by its provider.' },
  email_unchanged: { status: 400, message: 'This is the address that the account has.' },
  refresh_token_invalid: { status: 401, message: 'The refresh token is not valid.' },
  refresh_token_expired: { status: 401, message: 'The refresh token has expired.' },
  refresh_token_reused: { status: 401, message: 'The refresh token was used before; its session has been ended.' },
  refresh_disabled: { status: 403, message: 'Refresh tokens are switched off.' },
  otp_disabled: { status: 403, message: 'Signing in with a mailed code is switched off.' },
  otp_invalid: { status: 401, message: 'The code is wrong or no longer valid.' },
  session_not_found: { status: 404, message: 'There is no such session.' },
  registration_rejected: { status: 400, message: 'The registration was rejected.' },

  // One-time codes and native apps
  code_invalid: { status: 401, message: 'The code is not valid, has expired or was used already.' },
  cli_login_disabled: { status: 403, message: 'Signing in to native apps is switched off.' },
  redirect_uri_not_allowed: { status: 400, message: 'This redirect address is not allowed.' },
  carrier_invalid: { status: 400, message: 'The carrier is not valid, has expired or was used already.' },

  // Federated login
  provider_not_found: { status: 404, message: 'This provider is not offered here.' },
  provider_denied: { status: 401, message: 'The provider did not complete the sign-in.' },
  provider_unavailable: { status: 503, message: 'The provider does not answer at the moment; try again later.' },
  provider_failed: { status: 502, message: 'The provider gave an answer that cannot be trusted.' },
  state_invalid: {
    status: 401,
    message: 'The sign-in took too long, was completed before, or began in another browser.',
  },
  email_not_verified: { status: 401, message: 'The e-mail address has not been verified.' },
  email_taken_by_other_method: {
    status: 401,
    message: 'An account with this address exists and is reached another way; sign in there and link the provider.',
  },
  identity_not_found: { status: 404, message: 'There is no such linked provider.' },
  identity_taken: { status: 400, message: 'This account of the provider is linked to another account here.' },
  last_way_in: { status: 400, message: 'This is the only way to sign in to the account; it cannot be removed.' },

  // Schemas
  schema_invalid: { status: 422, message: 'The schema definitions have faults.' },
  schema_not_found: { status: 404, message: 'There is no such schema.' },
  migration_destructive: {
    status: 409,
    message: 'The change would lose data. Look at its steps, and send allow_data_loss=true if that is meant.',
  },
  migration_blocked: { status: 409, message: 'The data does not allow the change.' },
  plan_changed: { status: 409, message: 'The plan is not the one that was seen; plan again.' },
  schema_changed: { status: 409, message: 'The schemas were changed by somebody else at the same time.' },
  schema_version_mismatch: { status: 412, message: 'The schemas have another version by now.' },
  undo_impossible: { status: 409, message: 'The last change cannot be undone without losing data.' },

  // First set-up
  setup_token_invalid: { status: 400, message: 'The set-up token is not valid.' },
  setup_completed: { status: 403, message: 'There is an administrator already.' },

  // Content
  query_invalid: { status: 400, message: 'The query has parameters, names or values that are not allowed.' },
  field_invalid: { status: 400, message: 'Some values do not fit their fields.' },
  record_not_found: { status: 404, message: 'There is no such record.' },
  unique_violation: { status: 409, message: 'Another record has this value already.' },
  record_in_use: { status: 409, message: 'Other records refer to this one.' },
  reference_not_found: { status: 400, message: 'A record that is referred to does not exist.' },
  record_changed: { status: 412, message: 'The record is not what it was when you read it.' },
  idempotency_key_reused: { status: 409, message: 'This Idempotency-Key was sent with another request.' },
  last_root_account: { status: 409, message: 'This is the last active account that may do everything.' },
} as const satisfies Record<string, ErrorRow>;

/** A value of `data.error`: a key of {@link ERROR_CATALOGUE}. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;
