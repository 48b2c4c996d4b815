/**
 * Codes of faults of the embedded PostgreSQL.
 *
 * - `platform_unsupported`: there are no PostgreSQL binaries for this machine.
 * - `directory_damaged`: the data directory is incomplete, or was not made by this application. Nothing in it was touched.
 * - `directory_newer`, `directory_older`: another major version of PostgreSQL made the data directory.
 * - `directory_not_accessible`: this user may not read or write the data directory.
 * - `user_refused`: PostgreSQL does not run as this user, and no way to start it as another one is open.
 * - `start_failed`: PostgreSQL or its supervisor did not start; the message carries the last words of its log.
 * - `directory_in_use`: a process uses the directory that was to be replaced, or replaces it at this moment.
 * - `backup_running`: another backup of this server is being made.
 * - `backup_failed`: a backup could not be written; nothing of it is left.
 * - `backup_missing`: there is no backup, or none that is old enough.
 * - `backup_damaged`: a backup is not what was written.
 * - `moment_missing`: no backup and no archive leads to that moment.
 * - `archive_gap`: the archive lacks a part before that moment.
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

/** A failure of the embedded PostgreSQL. The message says what is wrong; what can be done about it, the application knows. */
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

/** Returns the system error code (`ENOENT`, `EACCES`, …) of something that was thrown, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
