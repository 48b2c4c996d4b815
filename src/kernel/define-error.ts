import { AppError, type AppErrorOptions } from './app-error.js';
import { DefinitionError } from './definition-error.js';
import { defineErrors, type ErrorCode, type ErrorRow } from './error-catalogue.js';

/** An error of an application's own, to be thrown: made by {@link defineError}. */
export interface DefinedError {
  new (options?: Omit<AppErrorOptions, 'status' | 'word'>): AppError;
  /** The value of `data.error`. */
  readonly code: string;
  readonly row: ErrorRow;
}

const DEFINED = new WeakSet<object>();

/**
 * Defines an error of an application's own: it is answered in the same form as ours, and described by `@Throws(TheError)`.
 *
 * @param code the value of `data.error`, which is to begin with a name of the application's own: `acme_out_of_stock`.
 */
export function defineError(code: string, row: ErrorRow): DefinedError {
  defineErrors('The application', { [code]: row });
  class OwnError extends AppError {
    static readonly code = code;
    static readonly row = row;

    constructor(options: Omit<AppErrorOptions, 'status' | 'word'> = {}) {
      super(code as ErrorCode, options);
    }
  }
  DEFINED.add(OwnError);
  return OwnError;
}

/** @throws DefinitionError for what is no error of {@link defineError}, or has no word, status or text that can be answered. */
export function assertDefinedErrors(errors: readonly DefinedError[]): void {
  for (const error of errors) {
    if (!DEFINED.has(error)) throw new DefinitionError('errors holds what defineError did not make.');
    const { code, row } = error;
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(code))
      throw new DefinitionError(`The error ${code} must be of small letters, digits and _, as acme_out_of_stock is.`);
    if (!Number.isInteger(row.status) || row.status < 400 || row.status > 599)
      throw new DefinitionError(`The error ${code} must have a status from 400 to 599, and it has ${row.status}.`);
    if (row.message.trim() === '') throw new DefinitionError(`The error ${code} must have a message.`);
  }
}
