/**
 * Error codes of the embedded PostgreSQL.
 *
 * - `platform_unsupported`: there are no PostgreSQL binaries for this machine.
 * - `directory_damaged`: the data directory is incomplete, or belongs to another application. It was not changed.
 * - `directory_newer`, `directory_older`: the data directory belongs to another major version of PostgreSQL.
 * - `directory_not_accessible`: this user cannot read or write the data directory.
 * - `user_refused`: PostgreSQL does not run as this user, and cannot be started as another one.
 * - `start_failed`: PostgreSQL or its supervisor did not start; the message contains the end of its log.
 * - `directory_in_use`: another process uses or replaces the directory.
 * - `backup_running`: another backup of this server is running.
 * - `backup_failed`: a backup could not be written, and was deleted.
 * - `backup_missing`: there is no backup, or none that is old enough.
 * - `backup_damaged`: a backup was changed after it was written.
 * - `moment_missing`: no backup and no archive covers that point in time.
 * - `archive_gap`: the archive lacks a file before that point in time.
 */
export type EmbeddedPostgresErrorCode =
  | 'platform_unsupported'
  | 'directory_damaged'
  | 'directory_newer'
  | 'directory_older'
  | 'directory_not_accessible'
  | 'user_refused'
  | 'start_failed'
  | 'directory_in_use'
  | 'backup_running'
  | 'backup_failed'
  | 'backup_missing'
  | 'backup_damaged'
  | 'moment_missing'
  | 'archive_gap';

/** An error of the embedded PostgreSQL. The message states the problem; the application adds the advice. */
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

/** Returns the system error code (`ENOENT`, `EACCES`, …) of an error, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
