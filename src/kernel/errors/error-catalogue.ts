import { OwnedTable } from '../owned-table.js';

export interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

/** Errors of any route, and of the framework and the database. */
const GENERAL = {
  // Requests
  route_not_found: { status: 404, message: 'There is no such route.' },
  method_not_allowed: { status: 405, message: 'This route does not answer this method.' },
  body_malformed: { status: 400, message: 'The body is not well-formed JSON.' },
  body_too_deep: { status: 400, message: 'The body is nested too deeply.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  content_type_unsupported: { status: 415, message: 'This content type is not supported; send application/json.' },
  content_encoding_unsupported: { status: 415, message: 'A body in this encoding is not read; send it as it is.' },
  query_invalid: { status: 400, message: 'The query has parameters, names or values that are not allowed.' },
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

  // Exceptions of an application without an error value: one for each status
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

  // Authentication and permissions
  token_missing: { status: 401, message: 'Sign in first: no access token was sent.' },
  token_invalid: { status: 401, message: 'The token is not valid.' },
  token_expired: { status: 401, message: 'The token has expired.' },
  step_up_required: { status: 401, message: 'Sign in again to do this; your last sign-in is too long ago.' },
  permission_denied: { status: 403, message: 'You are not allowed to do this.' },
} as const satisfies ErrorRows;

export type ErrorRows = Readonly<Record<string, ErrorRow>>;

/**
 * Every known error value. A feature adds its errors by declaration merging, so that an undefined value does not compile:
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

/** Defines the errors of a feature, in `<feature>.errors.ts`. The start fails if two owners define the same value. */
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

/** @throws DefinitionError for an error value with two owners. */
export function assertErrorsDistinct(): void {
  TABLE.assertOwnedOnce();
}

export function errorCodes(): readonly ErrorCode[] {
  const codes = new Set([...TABLE.entries().map(([code]) => code), ...OF_APPLICATIONS.keys()]);
  return [...codes].sort() as ErrorCode[];
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && (isServiceError(code) || OF_APPLICATIONS.has(code));
}

/** @throws Error if no module imports the table that defines the error value. */
export function errorRow(code: ErrorCode): ErrorRow {
  const row = TABLE.find(code) ?? OF_APPLICATIONS.get(code);
  if (row === undefined) throw new Error(`No module imports the table that defines the error ${code}.`);
  return row;
}
