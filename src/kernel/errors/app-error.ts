import { type ErrorCode, type ErrorRow, errorRow } from './error-catalogue.js';

/** An error of one field of a request: the field, a stable code and a readable message. */
export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorOptions {
  /** Public message that replaces the one of the catalogue. */
  readonly message?: string;
  /** Value of `data.error` that replaces the code, for exceptions of an application. */
  readonly publicCode?: string;
  /** HTTP status that replaces the one of the catalogue, for a code with different statuses at two endpoints, or for an unlisted status. */
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
  readonly publicCode: string;
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
    this.publicCode = options.publicCode ?? code;
    this.status = options.status ?? row.status;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Returns the 422 error that lists all invalid fields. */
  static validation(errors: readonly FieldFault[]): AppError {
    return new AppError('validation_failed', { details: { errors } });
  }

  /** Returns the error of record fields with values that cannot be written. */
  static fieldInvalid(errors: readonly FieldFault[]): AppError {
    return new AppError('field_invalid', { details: { errors } });
  }

  /** Returns the 400 error of an invalid mailed token. An invalid access token is a 401 instead. */
  static mailedToken(code: 'token_invalid' | 'token_expired'): AppError {
    return new AppError(code, { status: 400 });
  }
}
