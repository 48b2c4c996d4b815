import pg from 'pg';
import {
  CannotExecuteNotConnectedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';

/** A failed statement, as the driver reports it. The message is never sent to clients. */
export interface DriverFault {
  /** SQLSTATE (PostgreSQL Appendix A), or a network error code (`ECONNREFUSED`, …). */
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly message: string;
}

class DatabaseConnectionFault extends Error {
  readonly code: string | undefined;

  constructor(cause: Error & { readonly code?: unknown }) {
    super(cause.message, { cause });
    this.name = 'DatabaseConnectionFault';
    this.code = typeof cause.code === 'string' ? cause.code : firstCode(cause);
  }
}

/** Returns the code of the first error that has one. A host with several addresses fails with an AggregateError. */
function firstCode(cause: Error): string | undefined {
  const errors = cause instanceof AggregateError ? (cause.errors as readonly { code?: unknown }[]) : [];
  return errors.map(({ code }) => code).find((code) => typeof code === 'string');
}

/**
 * SQLSTATEs of a database that cannot work at the moment (PostgreSQL Appendix A):
 *
 * - connection errors (08);
 * - a server that is shutting down, starting or full (57P0, 53);
 * - a server that accepts no writes (25006, and 25P02 for later statements of the transaction);
 * - a session that the server has closed (25P03);
 * - file errors of the server (58);
 * - a database that is closed to connections (55000).
 */
const UNAVAILABLE = /^(08|53|57P0|25006|25P02|25P03|58|55000)/;
/** The connection stays usable after these, and a new connection might be rejected in the same way. */
const STAYS_CONNECTED = /^(53|55000)/;
/** Errors that TypeORM throws if the connection was lost during its work, or the application is stopping. */
const LOST_WITHIN_TYPEORM = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  CannotExecuteNotConnectedError,
];
/** SQLSTATEs of a transaction that the server aborted because of another one: it can be retried. */
const RETRYABLE_CODES = new Set(['40001', '40P01']);
const BUSY = new Set([...RETRYABLE_CODES, '55P03']);
/** SQLSTATEs of values that cannot be computed (class 22), and of exceeded program limits (class 54). */
const DATA_STATES = /^(22|54)/;
const QUERY_CANCELED = '57014';
/** Text with a NUL, or JSON with a NUL or half a surrogate pair. The route did not check its input. */
const UNSTORABLE: ReadonlySet<string> = new Set(['22021', '22P05']);
const UNSTORABLE_TEXT = 'The request contains characters that cannot be stored.';
const UNIQUE_VIOLATION = '23505';
const DEEPEST_CAUSE = 5;

/** Gives an error the type of a lost connection, unless the server itself sent it. */
export function connectionFault(error: unknown): Error {
  if (error instanceof pg.DatabaseError || error instanceof DatabaseConnectionFault) return error;
  return new DatabaseConnectionFault(error instanceof Error ? error : new Error(String(error)));
}

/** Reads the fault of an error of `pg` or TypeORM. Other errors have no code; returns null for a value that is no error. */
export function readDriverFault(error: unknown): DriverFault | null {
  if (!(error instanceof Error)) return null;
  const source = error as Error & { code?: unknown; constraint?: unknown; driverError?: unknown };
  if (source.driverError instanceof Error && source.driverError !== error) return readDriverFault(source.driverError);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { code: text(source.code), constraint: text(source.constraint), message: error.message };
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return findUnavailable(error) !== null;
}

/** Returns whether the connection cannot be used after this error, whatever the driver reports. */
export function losesConnection(error: Error): boolean {
  return isUnavailable(error) && !STAYS_CONNECTED.test(readDriverFault(error)?.code ?? '');
}

export function isDataFault(error: unknown): boolean {
  return DATA_STATES.test(readDriverFault(error)?.code ?? '');
}

export function isRetryable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return false;
  return RETRYABLE_CODES.has(readDriverFault(error)?.code ?? '') || isRetryable(error.cause, depth + 1);
}

export function findViolatedUnique(error: unknown): string | null {
  const fault = readDriverFault(error);
  return fault?.code === UNIQUE_VIOLATION ? (fault.constraint ?? '') : null;
}

/** Returns the API error for an unavailable database, a timeout, a lock conflict or text that cannot be stored. */
export function databaseRefusal(error: unknown): AppError | null {
  const unavailable = findUnavailable(error);
  if (unavailable !== null) return databaseUnavailable(unavailable);
  const code = readDriverFault(error)?.code ?? '';
  if (UNSTORABLE.has(code)) return new AppError('request_malformed', { message: UNSTORABLE_TEXT, cause: error });
  if (code === QUERY_CANCELED) return new AppError('query_timeout', { retryAfterSeconds: 1, cause: error });
  return BUSY.has(code) ? new AppError('server_busy', { retryAfterSeconds: 1, cause: error }) : null;
}

export function databaseUnavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { retryAfterSeconds: 1, cause });
}

function findUnavailable(error: unknown, depth = 0): Error | null {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return null;
  return isUnavailable(error) ? error : findUnavailable(error.cause, depth + 1);
}

function isUnavailable(error: Error): boolean {
  if (error instanceof DatabaseConnectionFault || LOST_WITHIN_TYPEORM.some((type) => error instanceof type))
    return true;
  const { driverError } = error as { driverError?: unknown };
  if (driverError instanceof Error && driverError !== error) return isUnavailable(driverError);
  if (error instanceof TypeORMError) return error.message === 'Driver not Connected';
  return error instanceof pg.DatabaseError && (UNAVAILABLE.test(error.code ?? '') || isUnloggedOnStandby(error));
}

/** A standby has no rows of UNLOGGED tables, and reports reads of them as an unsupported feature. */
function isUnloggedOnStandby({ code, routine }: pg.DatabaseError): boolean {
  return code === '0A000' && routine === 'get_relation_info';
}
