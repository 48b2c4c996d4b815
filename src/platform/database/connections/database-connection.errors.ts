import type {
  EmbeddedPostgresError,
  EmbeddedPostgresErrorCode,
} from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { readDriverFault } from '../database-faults.js';

/** Classes of SQLSTATE with which a server that is there refuses a connection: its sentence says more than we could. */
const REFUSED = /^(28|3D|42501|53|57P03)/;
const READ_ONLY = '25006';

/** No connection to the database could be made, when the service or a command starts. Worded for the person who started it. */
export class DatabaseConnectionError extends Error {
  constructor(cause: unknown) {
    super(describe(cause), { cause });
    this.name = 'DatabaseConnectionError';
  }
}

/** The database accepts no writes, when the service or a command starts. Worded for the person who started it. */
export class DatabaseReadOnlyError extends Error {
  constructor(isStandby: boolean) {
    const reason = isStandby ? 'it is a standby' : 'it is set to read-only';
    super(
      `The database accepts no writes: ${reason}. Let DATABASE_URL lead to the primary, or name all servers with target_session_attrs=read-write.`,
    );
    this.name = 'DatabaseReadOnlyError';
  }
}

/** The database stores text in another encoding than UTF-8. Worded for the person who started the service. */
export class DatabaseEncodingError extends Error {
  constructor(encoding: string) {
    super(
      `The database has the encoding ${encoding}, which cannot store every text. Create a database with ENCODING 'UTF8' and let DATABASE_URL lead to it.`,
    );
    this.name = 'DatabaseEncodingError';
  }
}

/** The database has tables of other programs under names that Lintel needs. Worded for the person who started the service. */
export class ForeignTablesError extends Error {
  constructor(schema: string, names: readonly string[]) {
    super(
      `The PostgreSQL schema ${schema} has tables of another application under names that Lintel needs: ${names.join(', ')}. Set DATABASE_SCHEMA=lintel to use a separate schema of this database.`,
    );
    this.name = 'ForeignTablesError';
  }
}

/** A pooler before the database mixes up what its clients have prepared. Worded for the person who started the service. */
export class DatabasePoolerError extends Error {
  constructor() {
    super(
      'The pooler of DATABASE_URL mixes up the prepared statements of its clients. Use PgBouncer 1.21 or newer with max_prepared_statements above 0, or pool by session.',
    );
    this.name = 'DatabasePoolerError';
  }
}

/** Advice on faults of the embedded PostgreSQL; one that did not start says it in its own words. */
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

/** The embedded PostgreSQL cannot be used. Worded for the person who started the service or a command. */
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

/** Returns what a fault of TLS means, with the mode that fits; null for other faults. */
function describeTls(code: string, message: string | undefined): string | null {
  if (UNTRUSTED.test(code))
    return `The certificate of the database is not trusted (${code}). Name the file of its authority as sslrootcert in DATABASE_URL, or use sslmode=require, which does not check certificates.`;
  if (code === WRONG_HOST)
    return 'The certificate of the database is for another host. Use the host of the certificate in DATABASE_URL, or sslmode=verify-ca, which does not check the host.';
  if (message === NO_TLS)
    return 'The database offers no TLS, which the sslmode of DATABASE_URL demands. Turn on ssl at the server, or use sslmode=prefer or sslmode=disable.';
  return null;
}

/** Returns the driver's words where the server spoke; the address is never shown, for it may hold a password. */
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
