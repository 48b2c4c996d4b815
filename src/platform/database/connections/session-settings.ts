import pg, { type Connection, type QueryConfig, type Submittable } from 'pg';

export const DEFAULT_DATABASE_SCHEMA = 'public';

/**
 * Sent with the startup message. Poolers in transaction mode keep them for each client (PgBouncer, `track_extra_parameters`). The spelling
 * is that of the server, because poolers compare texts.
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

interface SessionSetting {
  readonly name: string;
  readonly value: string;
}

interface SessionState {
  readonly pid: number;
  readonly differing: readonly string[];
}

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
 * Gives a new connection the settings on which statements rely, whatever the server, the database or the role sets. A dedicated session
 * keeps them. A session behind a pooler is shared, so nothing is set in it: settings that differ are returned, and each transaction sets
 * them for itself.
 *
 * @param processId process id of the server, as reported at the startup. A pooler reports another one.
 */
export async function settleSession(
  run: RunOnce,
  processId: number,
  schema: string,
): Promise<TransactionSettings | null> {
  const settings = settingsOf(schema);
  const { rows } = await run(renderCheck(settings, processId));
  const { pid, differing } = rows[0] as SessionState;
  if (pid === processId || differing.length === 0) return null;
  const own = new TransactionSettings(settings.filter(({ name }) => differing.includes(name)));
  for (const statement of own.prefix) await run(statement);
  return own;
}

/** Reads and corrects the settings in one statement, because each new connection waits for it. */
function renderCheck(settings: readonly SessionSetting[], processId: number): string {
  const isOwn = `pg_backend_pid() = ${processId}`;
  const differs = settings.map(({ name, value }) => {
    const [key, text] = [pg.escapeLiteral(name), pg.escapeLiteral(value)];
    // "$user" in the path matters only if a schema has that name.
    const isSame =
      name === SEARCH_PATH ? `current_schemas(false)::text[] = ARRAY[${text}]` : `current_setting(${key}) = ${text}`;
    return `CASE WHEN ${isOwn} THEN left(set_config(${key}, ${text}, false), 0) WHEN ${isSame} THEN '' ELSE ${key} END`;
  });
  return `SELECT pg_backend_pid() AS pid, array_to_json(array_remove(ARRAY[${differs.join(', ')}], '')) AS differing`;
}

const DATA_STATEMENT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;
const SEVERAL_STATEMENTS = /;\s*\S/;

/** Settings that each transaction sets for itself, in the same message as its first statement. There is no extra round trip. */
export class TransactionSettings {
  /** Sent before a statement outside of a transaction. They are prepared when the connection is opened, and return no rows. */
  readonly prefix: readonly QueryConfig[];
  readonly afterStart: string;

  constructor(settings: readonly SessionSetting[]) {
    const otherSettings = settings.filter(({ name }) => name !== ISOLATION);
    const conditions = otherSettings.map(
      ({ name, value }) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true) IS NULL`,
    );
    this.prefix = [
      // First, because the first snapshot fixes the isolation level. It applies to one transaction and is no session setting.
      ...(otherSettings.length < settings.length
        ? [{ name: 'lintel-isolation', text: `SET transaction_isolation = 'read committed'` }]
        : []),
      ...(otherSettings.length > 0
        ? [{ name: 'lintel-settings', text: `SELECT WHERE ${conditions.join(' OR ')}` }]
        : []),
    ];
    // A SELECT would fix the isolation level, so this uses SET LOCAL.
    this.afterStart = otherSettings
      .map(({ name, value }) => `; SET LOCAL ${name} = ${pg.escapeLiteral(value)}`)
      .join('');
  }

  /** Sends the prefix first if no transaction is open. All up to the next Sync is one transaction (PostgreSQL §55.2.3). */
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
    let remaining = this.prefix.length;
    query.handleCommandComplete = (...args) => {
      if (remaining === 0) complete(...args);
      else remaining -= 1;
    };
  }
}

interface QueryParts {
  readonly text?: string;
  queryMode?: string;
  handleCommandComplete(...args: unknown[]): void;
}

function isSubmittable(statement: unknown): statement is Submittable {
  return typeof (statement as Partial<Submittable>).submit === 'function';
}
