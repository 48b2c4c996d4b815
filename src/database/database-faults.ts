import { AppError } from '../kernel/app-error.js';

/** What the driver says of a failed statement. Only the parts that are safe to decide by; the text is never answered. */
export interface DriverFault {
  /** SQLSTATE (PostgreSQL Appendix A), or a code of the network (`ECONNREFUSED`, …). */
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  /** The call of the system that failed, such as `connect`. */
  readonly syscall: string | undefined;
  readonly message: string;
}

const UNAVAILABLE_STATES = /^(08|57P0[123]|53300|55000)/;
const UNAVAILABLE_NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** A socket file that is not there or not ours; of any other file they say nothing about the database. */
const UNAVAILABLE_SOCKET = new Set(['ENOENT', 'EACCES']);
const UNAVAILABLE_TEXT =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|Driver not Connected|Connection ended/i;

/** SQLSTATE of a statement that was stopped at its time limit. */
const QUERY_CANCELED = '57014';
/** SQLSTATE of a unique violation. */
const UNIQUE_VIOLATION = '23505';

/** Reads a fault of the driver from an error of `pg` or TypeORM; null for any other error. */
export function readDriverFault(error: unknown): DriverFault | null {
  if (!(error instanceof Error)) return null;
  const source = error as Error & { code?: unknown; constraint?: unknown; syscall?: unknown; driverError?: unknown };
  if (source.driverError instanceof Error && source.driverError !== error) return readDriverFault(source.driverError);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    code: text(source.code),
    constraint: text(source.constraint),
    syscall: text(source.syscall),
    message: error.message,
  };
}

/** Whether the error says that the database cannot be reached at the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const fault = readDriverFault(error);
  if (fault === null) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  const { code, syscall, message } = fault;
  if (code === undefined) return UNAVAILABLE_TEXT.test(message);
  if (syscall === 'connect' && UNAVAILABLE_SOCKET.has(code)) return true;
  return UNAVAILABLE_STATES.test(code) || UNAVAILABLE_NETWORK.has(code) || UNAVAILABLE_TEXT.test(message);
}

/** The name of the unique constraint that the error says was violated, or null. */
export function findViolatedUnique(error: unknown): string | null {
  const fault = readDriverFault(error);
  return fault?.code === UNIQUE_VIOLATION ? (fault.constraint ?? '') : null;
}

/** SQLSTATEs of values that cannot be computed (class 22) and of what is too large or too complex (class 54). */
const DATA_STATES = /^(22|54)/;

/** Returns whether the values of a statement are at fault: they do not fit, overflow, or ask for more than can be done. */
export function isDataFault(error: unknown): boolean {
  return DATA_STATES.test(readDriverFault(error)?.code ?? '');
}

/** The refusal that a fault of the database means for whatever was asked, or null: it is not there, or it took too long. */
export function databaseRefusal(error: unknown): AppError | null {
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error);
  if (readDriverFault(error)?.code !== QUERY_CANCELED) return null;
  return new AppError('query_timeout', { retryAfterSeconds: 1, cause: error });
}

/** The refusal for a database that is not there. */
export function databaseUnavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { retryAfterSeconds: 1, cause });
}
