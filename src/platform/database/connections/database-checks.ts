import type { DataSource, EntityManager } from 'typeorm';
import type { PoolClient } from 'pg';
import {
  DatabaseEncodingError,
  DatabasePoolerError,
  DatabaseReadOnlyError,
  ForeignTablesError,
} from './database-connection.errors.js';
import type { DatabaseClient } from './database-client.js';
import { poolOf } from './database-pool.js';

const ENCODING = 'UTF8';

/** @throws DatabaseReadOnlyError DatabaseEncodingError */
export async function assertUsable(source: DataSource): Promise<void> {
  const [row] = await source.query<{ standby: boolean; closed: boolean; encoding: string }[]>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS closed,
      current_setting('server_encoding') AS encoding`,
  );
  if (row?.standby === true || row?.closed === true) throw new DatabaseReadOnlyError(row.standby);
  if (row !== undefined && row.encoding !== ENCODING) throw new DatabaseEncodingError(row.encoding);
}

/** Creates the schema of `DATABASE_SCHEMA`. An existing schema is used as it is, because the role may not be allowed to create one. */
export async function ensureSchema(source: DataSource, schema: string, lock: number): Promise<void> {
  await source.transaction(async (manager) => {
    if (await exists(manager, schema)) return;
    await manager.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    if (!(await exists(manager, schema))) await manager.query(`CREATE SCHEMA "${schema}"`);
  });
}

async function exists(manager: EntityManager, schema: string): Promise<boolean> {
  // Not to_regnamespace(), which may answer from a cache that is older than the lock.
  const rows = await manager.query<unknown[]>('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rows.length > 0;
}

/**
 * @param table table of the applied migrations: if it exists, the tables belong to Lintel.
 * @throws ForeignTablesError
 */
export async function assertNoForeignTables(
  manager: EntityManager,
  table: string,
  needed: readonly string[],
): Promise<void> {
  const rows = await manager.query<{ name: string; schema: string }[]>(
    `SELECT relname::text AS name, current_schema()::text AS schema FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relname = ANY($1) AND to_regclass($2) IS NULL ORDER BY 1`,
    [needed, table],
  );
  if (rows[0] !== undefined)
    throw new ForeignTablesError(
      rows[0].schema,
      rows.map(({ name }) => name),
    );
}

const NAME = 'lintel-pooler-check';
/** Rounds in which two connections are compared. Unless it is busy, a pooler that shares sessions is detected in the first. */
const TURNS = 10;

/**
 * Checks that prepared statements survive on the path to the database. A pooler that shares one session between clients must keep their
 * statement names apart (PgBouncer does since 1.21).
 *
 * @param source a DataSource with at least two connections.
 * @throws DatabasePoolerError
 */
export async function assertStatementsKept(source: DataSource): Promise<void> {
  const pool = poolOf(source);
  const [one, other] = [await pool.connect(), await pool.connect()];
  try {
    if ((await backendOf(one)) === (one as PoolClient & DatabaseClient).backendPid) return;
    if ((await isNameKept(one)) && (await isShared(one, other))) throw new DatabasePoolerError();
  } finally {
    // The session may have a statement of the wrong client under this name, so it must not be used again.
    one.release(true);
    other.release(true);
  }
}

/** Returns whether the server knows a prepared statement by the name under which it was prepared. */
async function isNameKept(client: PoolClient): Promise<boolean> {
  await client.query('START TRANSACTION');
  try {
    await client.query({ name: NAME, text: 'SELECT 1' });
    const { rowCount } = await client.query(`SELECT 1 FROM pg_prepared_statements WHERE name = '${NAME}'`);
    return rowCount === 1;
  } catch {
    // Another client has prepared a statement of this name.
    return true;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Returns whether the connections share server sessions, or one of them changes its session. */
async function isShared(one: PoolClient, other: PoolClient): Promise<boolean> {
  const [ownPids, otherPids] = [new Set<number>(), new Set<number>()];
  for (let turn = 0; turn < TURNS; turn += 1) {
    ownPids.add(await backendOf(one));
    otherPids.add(await backendOf(other));
  }
  return ownPids.size > 1 || otherPids.size > 1 || [...ownPids].some((pid) => otherPids.has(pid));
}

async function backendOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
