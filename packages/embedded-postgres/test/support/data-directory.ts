import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgresLease } from '../../src/embedded-postgres.js';
import { embeddedProcesses, killHard, untilGone } from './process-table.js';

/** An empty data directory. */
export function makeDataDirectory(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), 'lintel-embedded-'));
}

/** Ends whatever a test left running there and removes it. */
export async function removeDataDirectory(dataDir: string): Promise<void> {
  const { supervisors, postmasters, guards, backends } = embeddedProcesses(dataDir);
  killHard(...supervisors, ...guards, ...postmasters, ...backends);
  await untilGone(dataDir);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
}

/** Runs one statement over a connection of its own. */
export async function query<Row extends object>(
  { host, port, user, database, password }: EmbeddedPostgresLease,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ host, port, user, database, password });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Does the database answer? */
export function answers(lease: EmbeddedPostgresLease): Promise<boolean> {
  return query(lease, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
