import { OwnedTable } from './definition-error.js';

export interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

/** Codes for an `HttpException` of an application that contains no code, by HTTP status. */
export const FALLBACKS = {
  bad_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'Authentication is required.' },
  payment_required: { status: 402, message: 'Payment is required.' },
  forbidden: { status: 403, message: 'Access denied.' },
  not_found: { status: 404, message: 'Not found.' },
  not_acceptable: { status: 406, message: 'No response matches the Accept header.' },
  conflict: { status: 409, message: 'This conflicts with the current state.' },
  gone: { status: 410, message: 'This resource no longer exists.' },
  precondition_failed: { status: 412, message: 'A precondition of the request failed.' },
  im_a_teapot: { status: 418, message: 'This server is a teapot.' },
  misdirected: { status: 421, message: 'The request was sent to the wrong server.' },
  unprocessable: { status: 422, message: 'The request is well-formed but cannot be processed.' },
  too_many_requests: { status: 429, message: 'Too many requests. Try again later.' },
  not_implemented: { status: 501, message: 'This is not implemented.' },
  bad_gateway: { status: 502, message: 'An upstream service returned an invalid response.' },
  service_unavailable: { status: 503, message: 'This is not available at the moment. Try again later.' },
  gateway_timeout: { status: 504, message: 'An upstream service did not respond in time.' },
  http_version_not_supported: { status: 505, message: 'This version of HTTP is not supported.' },
} as const satisfies ErrorRows;

/** Errors of any route, and of the framework and the database. */
const GENERAL = {
  // Requests
  route_not_found: { status: 404, message: 'Route not found.' },
  method_not_allowed: { status: 405, message: 'This route does not support this method.' },
  body_malformed: { status: 400, message: 'The body is not well-formed JSON.' },
  body_too_deep: { status: 400, message: 'The body is nested too deeply.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  content_type_unsupported: { status: 415, message: 'This content type is not supported. Send application/json.' },
  content_encoding_unsupported: {
    status: 415,
    message: 'This content encoding is not supported. Send the body uncompressed.',
  },
  query_invalid: { status: 400, message: 'The query contains parameters, names or values that are not allowed.' },
  request_malformed: { status: 400, message: 'The request is malformed.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  validation_failed: { status: 422, message: 'Some fields are missing or malformed.' },
  rate_limited: { status: 429, message: 'Too many attempts. Try again later.' },
  cross_site_request: { status: 403, message: 'The request does not come from the origin of this service.' },
  server_busy: { status: 503, message: 'The service is busy. Try again in a moment.' },
  database_unavailable: { status: 503, message: 'The database is not available. Try again in a moment.' },
  query_timeout: { status: 503, message: 'The database query timed out. Request less data, or try again in a moment.' },
  not_ready: { status: 503, message: 'The service is not ready yet.' },
  shutting_down: { status: 503, message: 'The service is shutting down.' },
  internal_error: { status: 500, message: 'An internal error occurred.' },

  ...FALLBACKS,

  // Authentication and permissions
  token_missing: { status: 401, message: 'No access token was sent. Sign in first.' },
  token_invalid: { status: 401, message: 'The token is not valid.' },
  token_expired: { status: 401, message: 'The token has expired.' },
  step_up_required: { status: 401, message: 'Your last sign-in was too long ago. Sign in again.' },
  permission_denied: { status: 403, message: 'You do not have permission to do this.' },
} as const satisfies ErrorRows;

export type ErrorRows = Readonly<Record<string, ErrorRow>>;

/**
 * Every known error code. A feature adds its errors by declaration merging, so that an unknown code does not compile:
 *
 *     declare module '../../kernel/errors/error-catalogue.js' {
 *       interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
 *     }
 */
export interface KnownErrors extends Record<keyof typeof GENERAL, ErrorRow> {}

/** A value of `data.error`. */
export type ErrorCode = keyof KnownErrors;

const TABLE = new OwnedTable<ErrorRow>('the error');
TABLE.define('The service', GENERAL);

/** Defines the errors of a feature, in `<feature>.errors.ts`. The start fails if two owners define the same code. */
export function defineErrors<const Rows extends ErrorRows>(owner: string, table: Rows): Rows {
  return TABLE.define(owner, table);
}

/** Errors of applications, by code: the last definition in this process. Used for codes without a class, for example from hooks. */
const OF_APPLICATIONS = new Map<string, ErrorRow>();

/** Registers an error of an application by its code. It is not checked here, because no definition may list it. */
export function addApplicationError(code: string, row: ErrorRow): void {
  OF_APPLICATIONS.set(code, row);
}

export function isServiceError(code: string): boolean {
  return TABLE.find(code) !== undefined;
}

export function errorCodes(): readonly ErrorCode[] {
  const codes = new Set([...TABLE.entries().map(([code]) => code), ...OF_APPLICATIONS.keys()]);
  return [...codes].sort() as ErrorCode[];
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && (isServiceError(code) || OF_APPLICATIONS.has(code));
}

/** @throws Error if no module imports the table that defines the error code. */
export function errorRow(code: ErrorCode): ErrorRow {
  const row = TABLE.find(code) ?? OF_APPLICATIONS.get(code);
  if (row === undefined) throw new Error(`No module imports the table that defines the error ${code}.`);
  return row;
}
