import pg from 'pg';
import {
  CannotExecuteNotConnectedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';

/** Describes a failed statement in the driver's words. Only the parts that are safe to decide by; the text is never answered. */
export interface DriverFault {
  /** SQLSTATE (PostgreSQL Appendix A), or a code of the network (`ECONNREFUSED`, …). */
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly message: string;
}

/** No connection could be had, or the one in use was lost. */
class DatabaseConnectionFault extends Error {
  /** Code of the network or of the system (`ECONNREFUSED`, …), if it is one of these. */
  readonly code: string | undefined;

  constructor(cause: Error & { readonly code?: unknown }) {
    super(cause.message, { cause });
    this.name = 'DatabaseConnectionFault';
    this.code = typeof cause.code === 'string' ? cause.code : firstCode(cause);
  }
}

/** Returns the code of the first error that has one. A host of several addresses fails with all of them at once. */
function firstCode(cause: Error): string | undefined {
  const errors = cause instanceof AggregateError ? (cause.errors as readonly { code?: unknown }[]) : [];
  return errors.map(({ code }) => code).find((code) => typeof code === 'string');
}

/**
 * SQLSTATEs of a database that cannot do its work at the moment (PostgreSQL Appendix A): connections (08), a server that is
 * shut down, starting or full (57P0, 53), one that accepts no writes (25006, and 25P02 for what follows in the same
 * transaction), a session that the server has ended (25P03), files of the server (58), a database closed to connections (55000).
 */
const UNAVAILABLE = /^(08|53|57P0|25006|25P02|25P03|58|55000)/;
/** Of these the ones after which the connection is good as before: the next may be refused the same. */
const STAYS_CONNECTED = /^(53|55000)/;
/** Errors that TypeORM throws if the connection was lost while it had it in hand, or the application is being stopped. */
const LOST_WITHIN_TYPEORM = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  CannotExecuteNotConnectedError,
];
/** SQLSTATEs of a transaction that the server has given up for the sake of another one: it may be done again. */
const GIVEN_UP = new Set(['40001', '40P01']);
const BUSY = new Set([...GIVEN_UP, '55P03']);
/** SQLSTATEs of values that cannot be computed (class 22) and of what is too large or too complex (class 54). */
const DATA_STATES = /^(22|54)/;
const QUERY_CANCELED = '57014';
/** Text with a NUL, and JSON with one or with half a surrogate pair: a route has not checked what it was sent. */
const UNSTORABLE: ReadonlySet<string> = new Set(['22021', '22P05']);
const UNSTORABLE_TEXT = 'The request has text with characters that cannot be stored.';
const UNIQUE_VIOLATION = '23505';
/** Depth to which causes are followed. */
const DEEPEST_CAUSE = 5;

/** Gives an error of the driver the type of a lost connection, unless the server itself has spoken. */
export function connectionFault(error: unknown): Error {
  if (error instanceof pg.DatabaseError || error instanceof DatabaseConnectionFault) return error;
  return new DatabaseConnectionFault(error instanceof Error ? error : new Error(String(error)));
}

/** Reads a fault of the driver from an error of `pg` or TypeORM; one without a code for any other error, null for what is none. */
export function readDriverFault(error: unknown): DriverFault | null {
  if (!(error instanceof Error)) return null;
  const source = error as Error & { code?: unknown; constraint?: unknown; driverError?: unknown };
  if (source.driverError instanceof Error && source.driverError !== error) return readDriverFault(source.driverError);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { code: text(source.code), constraint: text(source.constraint), message: error.message };
}

/** Returns whether the error, or what caused it, says that the database cannot do its work at the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return findUnavailable(error) !== null;
}

/** Returns whether the connection over which the error came is of no use any more, whatever the driver thinks. */
export function losesConnection(error: Error): boolean {
  return isUnavailable(error) && !STAYS_CONNECTED.test(readDriverFault(error)?.code ?? '');
}

/** Returns whether the values of a statement are at fault: they do not fit, overflow, or ask for more than can be done. */
export function isDataFault(error: unknown): boolean {
  return DATA_STATES.test(readDriverFault(error)?.code ?? '');
}

/** Returns whether the server has given up the transaction for the sake of another one, so that it may be done again. */
export function wasGivenUp(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return false;
  return GIVEN_UP.has(readDriverFault(error)?.code ?? '') || wasGivenUp(error.cause, depth + 1);
}

/** Returns the name of the unique constraint that the error says was violated, or null. */
export function findViolatedUnique(error: unknown): string | null {
  const fault = readDriverFault(error);
  return fault?.code === UNIQUE_VIOLATION ? (fault.constraint ?? '') : null;
}

/**
 * Returns the refusal that a fault of the database means for whatever was asked, or null for any other error: it is not
 * there, it took too long, or somebody else was faster.
 */
export function databaseRefusal(error: unknown): AppError | null {
  const unavailable = findUnavailable(error);
  if (unavailable !== null) return databaseUnavailable(unavailable);
  const code = readDriverFault(error)?.code ?? '';
  if (UNSTORABLE.has(code)) return new AppError('request_malformed', { message: UNSTORABLE_TEXT, cause: error });
  if (code === QUERY_CANCELED) return new AppError('query_timeout', { retryAfterSeconds: 1, cause: error });
  return BUSY.has(code) ? new AppError('server_busy', { retryAfterSeconds: 1, cause: error }) : null;
}

/** Returns the refusal for a database that is not there. */
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

/**
 * Returns whether a standby refused an UNLOGGED table. A standby has no rows of an UNLOGGED table, and says so by the code of what is
 * not supported.
 */
function isUnloggedOnStandby({ code, routine }: pg.DatabaseError): boolean {
  return code === '0A000' && routine === 'get_relation_info';
}
