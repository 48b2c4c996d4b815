import type { DataSource, EntityManager } from 'typeorm';
import { DatabaseEncodingError, DatabaseReadOnlyError, ForeignTablesError } from './database-connection.errors.js';

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
