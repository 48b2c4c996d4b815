import pg, { type Connection, type QueryConfig, type Submittable } from 'pg';

/** The PostgreSQL schema of all tables unless `DATABASE_SCHEMA` names another one. */
export const DEFAULT_DATABASE_SCHEMA = 'public';

/**
 * Settings that the server reports to its clients. They are sent with the startup message, and poolers in transaction mode carry
 * them from session to session (PgBouncer, `track_extra_parameters`). Spelled as the server reports them: a pooler compares texts.
 */
export const STARTUP_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

const ISOLATION = 'default_transaction_isolation';
const SEARCH_PATH = 'search_path';

/** A setting of the session, and the value that gives all statements their meaning. */
interface SessionSetting {
  readonly name: string;
  readonly value: string;
}

/** Reads and corrects the settings of a session. One row: the process of the session, and the names of the settings that differ. */
interface SessionLook {
  readonly pid: number;
  readonly differing: readonly string[];
}

/** Runs a statement on the connection that is being opened. */
export type RunOnce = (statement: string | QueryConfig) => Promise<{ rows: unknown[] }>;

function settingsOf(schema: string): readonly SessionSetting[] {
  const all = {
    ...STARTUP_SETTINGS,
    extra_float_digits: '1',
    bytea_output: 'hex',
    [ISOLATION]: 'read committed',
    [SEARCH_PATH]: schema,
  };
  return Object.entries(all).map(([name, value]) => ({ name, value }));
}

/**
 * Gives a new connection the settings that keep the meaning of statements, whatever the server, the database or the role sets.
 * A session that belongs to this connection keeps them. A session behind a pooler is shared, so nothing is set in it: settings
 * that differ there are returned, and each transaction sets them for itself.
 *
 * @param processId the process of the server, as the startup reported it. A pooler reports another one.
 */
export async function settleSession(
  run: RunOnce,
  processId: number,
  schema: string,
): Promise<TransactionSettings | null> {
  const settings = settingsOf(schema);
  const { rows } = await run(lookAt(settings, processId));
  const { pid, differing } = rows[0] as SessionLook;
  if (pid === processId || differing.length === 0) return null;
  const own = new TransactionSettings(settings.filter(({ name }) => differing.includes(name)));
  for (const statement of own.prefix) await run(statement);
  return own;
}

/** One statement, because each new connection waits for it. */
function lookAt(settings: readonly SessionSetting[], processId: number): string {
  const isOwn = `pg_backend_pid() = ${processId}`;
  const differs = settings.map(({ name, value }) => {
    const [key, text] = [pg.escapeLiteral(name), pg.escapeLiteral(value)];
    // "$user" in the path matters only if there is such a schema.
    const isSame =
      name === SEARCH_PATH ? `current_schemas(false)::text[] = ARRAY[${text}]` : `current_setting(${key}) = ${text}`;
    return `CASE WHEN ${isOwn} THEN left(set_config(${key}, ${text}, false), 0) WHEN ${isSame} THEN '' ELSE ${key} END`;
  });
  return `SELECT pg_backend_pid() AS pid, array_to_json(array_remove(ARRAY[${differs.join(', ')}], '')) AS differing`;
}

const DATA_STATEMENT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;
const SEVERAL_STATEMENTS = /;\s*\S/;

/** Settings that each transaction sets for itself, in the same message as its first statement: there is no extra round trip. */
export class TransactionSettings {
  /** Statements before a statement outside of a transaction, prepared when the connection is opened. They return no rows. */
  readonly prefix: readonly QueryConfig[];
  /** What follows the beginning of a transaction. */
  readonly afterBegin: string;

  constructor(settings: readonly SessionSetting[]) {
    const others = settings.filter(({ name }) => name !== ISOLATION);
    const conditions = others.map(
      ({ name, value }) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true) IS NULL`,
    );
    this.prefix = [
      // First, because the level is fixed by the first snapshot. It lasts for one transaction and is no setting of the session.
      ...(others.length < settings.length
        ? [{ name: 'lintel-isolation', text: `SET transaction_isolation = 'read committed'` }]
        : []),
      ...(others.length > 0 ? [{ name: 'lintel-settings', text: `SELECT WHERE ${conditions.join(' OR ')}` }] : []),
    ];
    // No SELECT, which would fix the isolation level.
    this.afterBegin = others.map(({ name, value }) => `; SET LOCAL ${name} = ${pg.escapeLiteral(value)}`).join('');
  }

  /**
   * Returns a statement that begins with the prefix if no transaction is open when it is sent. Everything up to the next
   * Sync message is one transaction (PostgreSQL §55.2.3).
   */
  apply(statement: unknown, values: unknown, isOutsideTransaction: () => boolean): unknown {
    const query = isSubmittable(statement) ? statement : new pg.Query(statement as QueryConfig, values as unknown[]);
    const parts = query as Submittable & QueryParts;
    const submit = query.submit.bind(query);
    query.submit = (connection: Connection): void => {
      const { text = '' } = parts;
      if (!isOutsideTransaction() || !DATA_STATEMENT.test(text) || SEVERAL_STATEMENTS.test(text))
        return submit(connection);
      parts.queryMode = 'extended';
      this.skipCompletions(parts);
      connection.stream.cork();
      try {
        for (const { name } of this.prefix) {
          connection.bind({ statement: name } as Parameters<Connection['bind']>[0], true);
          connection.execute(null, true);
        }
        return submit(connection);
      } finally {
        connection.stream.uncork();
      }
    };
    return query;
  }

  private skipCompletions(query: QueryParts): void {
    const complete = query.handleCommandComplete.bind(query);
    let left = this.prefix.length;
    query.handleCommandComplete = (...args) => {
      if (left === 0) complete(...args);
      else left -= 1;
    };
  }
}

/** Members of a submitted statement that the driver's types leave out. */
interface QueryParts {
  readonly text?: string;
  queryMode?: string;
  handleCommandComplete(...args: unknown[]): void;
}

function isSubmittable(statement: unknown): statement is Submittable {
  return typeof (statement as Partial<Submittable>).submit === 'function';
}
