import type {
  EmbeddedPostgresError,
  EmbeddedPostgresErrorCode,
} from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { readDriverFault } from '../database-faults.js';

/** SQLSTATE classes with which a reachable server rejects a connection. The server's message is the most precise one. */
const REFUSED = /^(28|3D|42501|53|57P03)/;
const READ_ONLY = '25006';

export class DatabaseConnectionError extends Error {
  constructor(cause: unknown) {
    super(describe(cause), { cause });
    this.name = 'DatabaseConnectionError';
  }
}

export class DatabaseReadOnlyError extends Error {
  constructor(isStandby: boolean) {
    const reason = isStandby ? 'it is a standby' : 'it is set to read-only';
    super(
      `The database accepts no writes: ${reason}. Let DATABASE_URL lead to the primary, or name all servers with target_session_attrs=read-write.`,
    );
    this.name = 'DatabaseReadOnlyError';
  }
}

export class DatabaseEncodingError extends Error {
  constructor(encoding: string) {
    super(
      `The database has the encoding ${encoding}, which cannot store every text. Create a database with ENCODING 'UTF8' and let DATABASE_URL lead to it.`,
    );
    this.name = 'DatabaseEncodingError';
  }
}

export class ForeignTablesError extends Error {
  constructor(schema: string, names: readonly string[]) {
    super(
      `The PostgreSQL schema ${schema} has tables of another application under names that Lintel needs: ${names.join(', ')}. Set DATABASE_SCHEMA=lintel to use a separate schema of this database.`,
    );
    this.name = 'ForeignTablesError';
  }
}

export class DatabasePoolerError extends Error {
  constructor() {
    super(
      'The pooler of DATABASE_URL mixes up the prepared statements of its clients. Use PgBouncer 1.21 or newer with max_prepared_statements above 0, or pool by session.',
    );
    this.name = 'DatabasePoolerError';
  }
}

/** Advice for errors of the embedded PostgreSQL. The message of `start_failed` already contains the reason. */
const ADVICE: Readonly<Record<EmbeddedPostgresErrorCode, string>> = {
  platform_unsupported:
    ' Set DATABASE_URL to a PostgreSQL server, or, if the package exists, install without --omit=optional.',
  directory_damaged:
    ' Restore it from a backup, move it away to start with an empty database, or set DATA_DIR or DATABASE_URL.',
  directory_newer: ' Run the version of Lintel that made it, or set DATA_DIR or DATABASE_URL.',
  directory_older: ' Run the version of Lintel that made it, or set DATA_DIR or DATABASE_URL.',
  directory_not_accessible: ' Start as the user who owns it, give it to this user, or set DATA_DIR to another place.',
  user_refused: ' Start Lintel as an ordinary user, put DATA_DIR where every user may pass, or set DATABASE_URL.',
  start_failed: '',
  directory_in_use: ' Stop the service and every command that uses it, or wait until they are through.',
  backup_running: ' Wait until it is through.',
  backup_failed: ' Make room or give this user the right to write there, or set BACKUP_DIR to another place.',
  backup_missing: ' Make one by `backup`, or name the directory in which they are.',
  backup_damaged: ' Use another one: `--from` takes the directory of one, too.',
  moment_missing: ' Choose another moment by `--at`; BACKUP_SCHEDULE has all moments kept.',
  archive_gap: ' Find the missing file, or give that moment, or an earlier one, as `--at`.',
};

export class EmbeddedDatabaseError extends Error {
  constructor(cause: EmbeddedPostgresError) {
    const advice = ADVICE[cause.code];
    super(advice === '' ? cause.message : `${cause.message}.${advice}`, { cause });
    this.name = 'EmbeddedDatabaseError';
  }
}

const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/;
const WRONG_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NO_TLS = 'The server does not support SSL connections';

function describeTls(code: string, message: string | undefined): string | null {
  if (UNTRUSTED.test(code))
    return `The certificate of the database is not trusted (${code}). Name the file of its authority as sslrootcert in DATABASE_URL, or use sslmode=require, which does not check certificates.`;
  if (code === WRONG_HOST)
    return 'The certificate of the database is for another host. Use the host of the certificate in DATABASE_URL, or sslmode=verify-ca, which does not check the host.';
  if (message === NO_TLS)
    return 'The database offers no TLS, which the sslmode of DATABASE_URL demands. Turn on ssl at the server, or use sslmode=prefer or sslmode=disable.';
  return null;
}

/** Returns the driver's message if the server answered. The address is never shown, because it may contain a password. */
function describe(cause: unknown): string {
  const fault = readDriverFault(cause);
  const code = fault?.code ?? '';
  const ofTls = describeTls(code, fault?.message);
  if (ofTls !== null) return ofTls;
  if (code === READ_ONLY) return new DatabaseReadOnlyError(false).message;
  if (REFUSED.test(code)) return `The database refuses the connection: ${fault?.message}. Check DATABASE_URL.`;
  const reason = code === '' ? (fault?.message ?? 'no answer') : code;
  return `The database cannot be reached: ${reason}. Check DATABASE_URL, or unset it to use the embedded one.`;
}
