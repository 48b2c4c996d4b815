import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { DatabaseClient } from './database-client.js';
import { DatabasePoolerError } from './database-connection.errors.js';
import { poolOf } from './database-pool.js';

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
  const [mine, others] = [new Set<number>(), new Set<number>()];
  for (let turn = 0; turn < TURNS; turn += 1) {
    mine.add(await backendOf(one));
    others.add(await backendOf(other));
  }
  return mine.size > 1 || others.size > 1 || [...mine].some((pid) => others.has(pid));
}

async function backendOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
