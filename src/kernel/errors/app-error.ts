import { type ErrorCode, type ErrorRow, errorRow } from './error-catalogue.js';

/** A fault of one field of a request: its name, a stable code and a text for people (CONTRACT §2). */
export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Holds the details of an {@link AppError} beyond its code. */
export interface AppErrorOptions {
  /** Public text in place of the catalogue's. */
  readonly message?: string;
  /** A word in place of the code as `data.error`: that of an exception of an application's own. */
  readonly word?: string;
  /** Status in place of the catalogue's: only for a code that two endpoints answer differently, or for an unlisted one. */
  readonly status?: number;
  /** Public details, merged into `data`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds until another try makes sense; sent as `Retry-After` (RFC 9110 §10.2.3). */
  readonly retryAfterSeconds?: number;
  /** The private cause: logged where it is a fault of ours, never answered. */
  readonly cause?: unknown;
}

/** The one error class of the service: a code of the catalogue, public details and a private cause. */
export class AppError extends Error {
  /** Word that is answered as `data.error`. */
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

  /** Returns the 422 answer that names every faulty field at once. */
  static validation(errors: readonly FieldFault[]): AppError {
    return new AppError('validation_failed', { details: { errors } });
  }

  /** Returns a mailed token that is refused: a bad request, where an access token is an authentication failure (CONTRACT §3). */
  static mailedToken(code: 'token_invalid' | 'token_expired'): AppError {
    return new AppError(code, { status: 400 });
  }
}
