import type {
  EmbeddedPostgresError,
  EmbeddedPostgresErrorCode,
} from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { OperatorError } from '../../../kernel/errors/definition-error.js';
import { readDriverFault } from '../database-faults.js';

/** SQLSTATE classes with which a reachable server rejects a connection. The server's message is the most precise one. */
const REFUSED = /^(28|3D|42501|53|57P03)/;
const READ_ONLY = '25006';

export class DatabaseConnectionError extends OperatorError {
  constructor(cause: unknown) {
    super(describe(cause), { cause });
  }
}

export class DatabaseReadOnlyError extends OperatorError {
  constructor(isStandby: boolean) {
    const reason = isStandby ? 'it is a standby' : 'it is set to read-only';
    super(
      `The database does not accept writes: ${reason}. Set DATABASE_URL to the primary, or list all servers with target_session_attrs=read-write.`,
    );
  }
}

export class DatabaseEncodingError extends OperatorError {
  constructor(encoding: string) {
    super(
      `The database has the encoding ${encoding}, which cannot store every text. Create a database with ENCODING 'UTF8' and set DATABASE_URL to it.`,
    );
  }
}

export class ForeignTablesError extends OperatorError {
  constructor(schema: string, names: readonly string[]) {
    super(
      `The PostgreSQL schema ${schema} contains tables of another application with names that Lintel needs: ${names.join(', ')}. Set DATABASE_SCHEMA=lintel to use a separate schema of this database.`,
    );
  }
}

export class DatabasePoolerError extends OperatorError {
  constructor() {
    super(
      'The connection pooler in DATABASE_URL does not support prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements above 0, or session pooling.',
    );
  }
}

/** Advice for errors of the embedded PostgreSQL. The message of `start_failed` already contains the reason. */
const ADVICE: Readonly<Record<EmbeddedPostgresErrorCode, string>> = {
  platform_unsupported:
    ' Set DATABASE_URL to a PostgreSQL server, or, if the package exists, install without --omit=optional.',
  directory_damaged:
    ' Restore it from a backup, move it away to start with an empty database, or set DATA_DIR or DATABASE_URL.',
  directory_newer: ' Run the version of Lintel that created it, or set DATA_DIR or DATABASE_URL.',
  directory_older: ' Run the version of Lintel that created it, or set DATA_DIR or DATABASE_URL.',
  directory_not_accessible:
    ' Start Lintel as the user who owns the directory, change its owner, or set DATA_DIR to another directory.',
  user_refused:
    ' Start Lintel as an unprivileged user, move DATA_DIR to a path that every user can traverse, or set DATABASE_URL.',
  start_failed: '',
  directory_in_use: ' Stop the service and every command that uses it, or wait until they have finished.',
  backup_running: ' Wait until it has finished.',
  backup_failed: ' Free disk space, grant this user write access, or set BACKUP_DIR to another directory.',
  backup_missing: ' Create one with `backup`, or specify the directory that contains the backups.',
  backup_damaged: ' Use another backup: `--from` also accepts the directory of a single backup.',
  moment_missing: ' Choose another timestamp with `--at`. With BACKUP_SCHEDULE, every point in time can be restored.',
  archive_gap: ' Restore the missing file, or use that timestamp or an earlier one as `--at`.',
};

export class EmbeddedDatabaseError extends OperatorError {
  constructor(cause: EmbeddedPostgresError) {
    const advice = ADVICE[cause.code];
    super(advice === '' ? cause.message : `${cause.message}.${advice}`, { cause });
  }
}

const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/;
const WRONG_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NO_TLS = 'The server does not support SSL connections';

function describeTls(code: string, message: string | undefined): string | null {
  if (UNTRUSTED.test(code))
    return `The certificate of the database is not trusted (${code}). Set sslrootcert in DATABASE_URL to the CA certificate, or use sslmode=require, which does not check certificates.`;
  if (code === WRONG_HOST)
    return 'The certificate of the database is for another host. Use the host of the certificate in DATABASE_URL, or sslmode=verify-ca, which does not check the host.';
  if (message === NO_TLS)
    return 'The database does not support TLS, which the sslmode of DATABASE_URL requires. Enable ssl on the server, or use sslmode=prefer or sslmode=disable.';
  return null;
}

/** Returns the driver's message if the server answered. The address is never shown, because it may contain a password. */
function describe(cause: unknown): string {
  const fault = readDriverFault(cause);
  const code = fault?.code ?? '';
  const ofTls = describeTls(code, fault?.message);
  if (ofTls !== null) return ofTls;
  if (code === READ_ONLY) return new DatabaseReadOnlyError(false).message;
  if (REFUSED.test(code)) return `The database rejected the connection: ${fault?.message}. Check DATABASE_URL.`;
  const reason = code === '' ? (fault?.message ?? 'no response') : code;
  return `The database cannot be reached: ${reason}. Check DATABASE_URL, or unset it to use the embedded database.`;
}
