import { AppError, type AppErrorOptions } from './app-error.js';
import { DefinitionError } from './definition-error.js';
import { addApplicationError, type ErrorCode, type ErrorRow, isServiceError } from './error-catalogue.js';

/** An error class of an application, created by {@link defineError}. */
export interface DefinedError {
  new (options?: Omit<AppErrorOptions, 'status' | 'publicCode'>): AppError;
  /** The value of `data.error`. */
  readonly code: string;
  readonly row: ErrorRow;
}

const DEFINED = new WeakSet<object>();

/**
 * Defines an error of an application. It is sent in the same envelope as built-in errors, and `@Throws(TheError)` documents it.
 *
 * The error belongs to the definition that lists it, and has no effect on other definitions in the same process.
 *
 * @param code the value of `data.error`. Begin it with the name of your application: `acme_out_of_stock`.
 */
export function defineError(code: string, row: ErrorRow): DefinedError {
  addApplicationError(code, row);
  class OwnError extends AppError {
    static readonly code = code;
    static readonly row = row;

    constructor(options: Omit<AppErrorOptions, 'status' | 'publicCode'> = {}) {
      super(code as ErrorCode, options, row);
    }
  }
  DEFINED.add(OwnError);
  return OwnError;
}

/**
 * @throws DefinitionError for a class that {@link defineError} did not create, an invalid code, status or message, and a code that the
 * service or another listed error has.
 */
export function assertDefinedErrors(errors: readonly DefinedError[]): void {
  const distinct = [...new Set(errors)];
  for (const [index, error] of distinct.entries()) {
    if (!DEFINED.has(error))
      throw new DefinitionError('errors contains an entry that is not a result of defineError().');
    const { code, row } = error;
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(code))
      throw new DefinitionError(
        `The error ${code} must consist of lower-case letters, digits and underscores, such as acme_out_of_stock.`,
      );
    if (!Number.isInteger(row.status) || row.status < 400 || row.status > 599)
      throw new DefinitionError(`The error ${code} must have a status from 400 to 599, not ${row.status}.`);
    if (isServiceError(code) || distinct.findIndex((one) => one.code === code) !== index)
      throw new DefinitionError(`The error ${code} is defined twice. Rename one of them.`);
    if (row.message.trim() === '') throw new DefinitionError(`The error ${code} must have a message.`);
  }
}
