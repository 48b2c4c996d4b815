import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { copyCluster } from '../../../../test/support/copy-cluster.cjs';
import { testServer } from '../../../../test/support/test-server.js';
import { acquireEmbeddedPostgres } from '../../src/embedded-postgres.js';
import type { EmbeddedPostgresLease, EmbeddedPostgresOptions } from '../../src/embedded-postgres.js';
import { embeddedProcesses, killHard, untilGone } from './process-table.js';

export const NAME = 'sample';
/** The tests run the sources, but a separate process needs the compiled file. */
export const SUPERVISOR = join(__dirname, '../../../../dist/packages/embedded-postgres/src/supervisor.js');

export function acquire(options: Pick<EmbeddedPostgresOptions, 'directory' | 'log'>): Promise<EmbeddedPostgresLease> {
  return acquireEmbeddedPostgres({ name: NAME, supervisor: SUPERVISOR, ...options });
}

/** Returns the path of a directory that does not exist yet, in a new temporary directory. */
export function makeDirectory(): string {
  return join(mkdtempSync(join(realpathSync(tmpdir()), 'embedded-postgres-')), 'postgres');
}

/** Returns a directory with an existing cluster, for tests that do not test its creation. */
export function makeDirectoryWithCluster(): string {
  const directory = makeDirectory();
  const { cluster } = testServer();
  if (cluster === null) return directory;
  mkdirSync(directory, { mode: 0o700 });
  const copy = join(directory, 'cluster');
  copyCluster(cluster, copy);
  const [marker = ''] = readdirSync(copy).filter((name) => name.endsWith('-cluster.json'));
  renameSync(join(copy, marker), join(copy, `${NAME}-cluster.json`));
  return directory;
}

export async function removeDirectory(directory: string): Promise<void> {
  const { supervisors, postmasters, guards, backends } = embeddedProcesses(directory);
  killHard(...supervisors, ...guards, ...postmasters, ...backends);
  await untilGone(directory);
  rmSync(dirname(directory), { recursive: true, force: true, maxRetries: 10 });
}

export function socketDirectoryOf({ url }: EmbeddedPostgresLease): string {
  return decodeURIComponent(new URL(url).hostname);
}

export async function query<Row extends object>({ url }: EmbeddedPostgresLease, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

export function answers(lease: EmbeddedPostgresLease): Promise<boolean> {
  return query(lease, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
