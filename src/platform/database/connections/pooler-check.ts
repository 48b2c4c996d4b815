import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { DatabaseClient } from './database-client.js';
import { DatabasePoolerError } from './database-connection.errors.js';
import { poolOf } from './database-pool.js';

const NAME = 'lintel-pooler-check';
/** Turns in which two connections are compared: a pooler that shares sessions shows it in the first, unless it is busy. */
const TURNS = 10;

/**
 * Looks whether prepared statements stay what they are on the way to the database: a pooler that gives one session to
 * several clients must keep their names apart (PgBouncer does since 1.21).
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
    // With the name that it has given away, nobody should go on.
    one.release(true);
    other.release(true);
  }
}

/** Returns whether the name under which a statement was prepared is the one that the server knows it by. */
async function isNameKept(client: PoolClient): Promise<boolean> {
  await client.query('START TRANSACTION');
  try {
    await client.query({ name: NAME, text: 'SELECT 1' });
    const { rowCount } = await client.query(`SELECT 1 FROM pg_prepared_statements WHERE name = '${NAME}'`);
    return rowCount === 1;
  } catch {
    // Somebody else's statement of this name is there.
    return true;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Returns whether one of the connections meets a session of the server in which the other was, or in which it was not before. */
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
