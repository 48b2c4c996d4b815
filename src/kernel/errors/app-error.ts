import { type ErrorCode, type ErrorRow, errorRow } from './error-catalogue.js';

/** A fault of one field of a request: its name, a stable code and a message for people. */
export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorOptions {
  /** Public message that replaces the one of the catalogue. */
  readonly message?: string;
  /** Value of `data.error` instead of the code, for exceptions of an application. */
  readonly word?: string;
  /** HTTP status instead of the catalogue's, for a code that two endpoints answer differently, or for an unlisted status. */
  readonly status?: number;
  /** Public details, merged into `data`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense; sent as `Retry-After` (RFC 9110 §10.2.3). */
  readonly retryAfterSeconds?: number;
  /** The internal cause. It is logged for server errors, and never sent. */
  readonly cause?: unknown;
}

/** The error class of the service: a code of the catalogue, public details and an internal cause. */
export class AppError extends Error {
  /** The value of `data.error`. */
  readonly word: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
    row: ErrorRow = errorRow(code),
  ) {
    super(options.message ?? row.message, { cause: options.cause });
    this.name = 'AppError';
    this.word = options.word ?? code;
    this.status = options.status ?? row.status;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Returns the 422 error that lists all invalid fields. */
  static validation(errors: readonly FieldFault[]): AppError {
    return new AppError('validation_failed', { details: { errors } });
  }

  /** Returns the 400 error of an invalid mailed token. An invalid access token is a 401 instead. */
  static mailedToken(code: 'token_invalid' | 'token_expired'): AppError {
    return new AppError(code, { status: 400 });
  }
}
