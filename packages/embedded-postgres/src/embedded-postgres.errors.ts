/**
 * What went wrong with the embedded PostgreSQL.
 *
 * - `platform_unsupported`: there are no PostgreSQL binaries for this machine.
 * - `directory_damaged`: the data directory is incomplete, or was not made by Lintel. Nothing in it was touched.
 * - `directory_newer`, `directory_older`: another major version of PostgreSQL made the data directory.
 * - `directory_not_accessible`: this user may not read or write the data directory.
 * - `start_failed`: PostgreSQL or its supervisor did not start; the message carries the last words of its log.
 */
export type EmbeddedPostgresErrorCode =
  | 'platform_unsupported'
  | 'directory_damaged'
  | 'directory_newer'
  | 'directory_older'
  | 'directory_not_accessible'
  | 'start_failed';

/** A failure of the embedded PostgreSQL, worded for the person who started the program. */
export class EmbeddedPostgresError extends Error {
  constructor(
    readonly code: EmbeddedPostgresErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}

/** The system error code (`ENOENT`, `EACCES`, …) of something that was thrown, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
