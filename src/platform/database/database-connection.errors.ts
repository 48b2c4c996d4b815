import { readDriverFault } from './database-faults.js';

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

/** A pooler before the database mixes up what its clients have prepared. Worded for the person who started the service. */
export class DatabasePoolerError extends Error {
  constructor() {
    super(
      'The pooler of DATABASE_URL mixes up the prepared statements of its clients. Use PgBouncer 1.21 or newer with max_prepared_statements above 0, or pool by session.',
    );
    this.name = 'DatabasePoolerError';
  }
}

/** The driver's words where the server spoke; the address is never shown, for it may hold a password. */
function describe(cause: unknown): string {
  const fault = readDriverFault(cause);
  const code = fault?.code ?? '';
  if (code === READ_ONLY) return new DatabaseReadOnlyError(false).message;
  if (REFUSED.test(code)) return `The database refuses the connection: ${fault?.message}. Check DATABASE_URL.`;
  const reason = code === '' ? (fault?.message ?? 'no answer') : code;
  return `The database cannot be reached: ${reason}. Check DATABASE_URL, or unset it to use the embedded one.`;
}
