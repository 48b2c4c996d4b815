import {
  appendFileSync,
  copyFileSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { alterSystem, withAdmin } from './admin-connection.js';
import { COPY_PREFIX, createDraft, removeTree } from './backup-store.js';
import { createBackup } from './base-backup.js';
import { replaceDurably, syncDirectory } from './durable-files.js';
import { createHome, type EmbeddedHome } from './embedded-home.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgresLease } from './embedded-lease.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { withDirectoryLock } from './directory-lock.js';
import { findRunningServer } from './postmaster-file.js';
import { chownTreeLike } from './recovered-copy.js';
import { finishReplacement, replaceCluster } from './replace-cluster.js';
import { unpackBackup } from './unpack-backup.js';
import { startNewIncarnation, currentIncarnation } from './wal-archive.js';

export interface StandbyOptions {
  readonly directory: string;
  readonly name: string;
  readonly url: string;
  /** Dedicated directory of the standby. */
  readonly standby: string;
  readonly supervisor?: string;
}

export interface StandbyState {
  readonly streaming: boolean;
  /** Bytes of WAL that the standby has not yet written to disk. */
  readonly lagBytes: number;
}

/** File next to the standby's cluster with the history that it follows. */
const FOLLOWS_FILE = 'archive.json';
const SLOT = 'embedded_standby';
/** Maximum WAL that is kept for a disconnected standby. A standby that needs more is created again. */
const MAX_SLOT_WAL = '1GB';
const PROMOTION_SECONDS = 300;
const SETTINGS = ['primary_conninfo', 'primary_slot_name'];

/**
 * Starts or joins a standby. It is created first if it does not exist, or cannot follow any more. The standby runs while a lease exists.
 *
 * @throws EmbeddedPostgresError `directory_in_use` while it is being created, `directory_damaged` for a directory that is no standby, and
 * the errors of a backup or a start
 */
export async function followEmbeddedPostgres(options: StandbyOptions): Promise<EmbeddedPostgresLease> {
  const { directory, name, url, standby, supervisor } = options;
  const home = createHome(standby, name);
  const incarnation = currentIncarnation({ directory, name });
  const canFollow = await withAdmin(url, (client) => prepareSlot(client));
  if (!(canFollow && incarnationOf(home) === incarnation && existsSync(home.cluster)))
    await withDirectoryLock(home, 'a standby is being created', () => createStandby(home, incarnation, options));
  else if (!isStandby(home)) throw promoted(home);
  const lease = await acquireEmbeddedPostgres({ directory: standby, name, supervisor });
  await withAdmin(lease.url, (client) => alterSystem(client, { primary_conninfo: connectionTo(url) }));
  return lease;
}

export async function standbyState(url: string): Promise<StandbyState> {
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ lag: number }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 AS lag FROM pg_stat_replication
        WHERE application_name = '${SLOT}' AND state = 'streaming'`,
    );
    const [row] = rows;
    return { streaming: row !== undefined, lagBytes: row?.lag ?? 0 };
  });
}

export interface PromotionOptions<T> {
  readonly standby: string;
  /** Directory of the primary to replace. It must not be in use. */
  readonly directory: string;
  readonly name: string;
  readonly supervisor?: string;
  /** Runs with exclusive access to the promoted server, at this URL. */
  readonly work: (url: string) => Promise<T>;
}

/**
 * Promotes a standby, and replaces the cluster of a directory by it. The old cluster is kept. After a kill it can be repeated: the
 * standby's files are deleted only when the copy is complete.
 *
 * @throws EmbeddedPostgresError `directory_in_use`, `directory_damaged` if there is no standby, or `start_failed`
 */
export async function promoteStandby<T>(
  options: PromotionOptions<T>,
): Promise<{ readonly result: T; readonly kept: string | null }> {
  const { standby, directory, name, supervisor, work } = options;
  if (!existsSync(join(standby, 'cluster')))
    throw new EmbeddedPostgresError('directory_damaged', `there is no standby in ${standby}`);
  const from = createHome(standby, name);
  const home = createHome(directory, name);
  return withDirectoryLock(home, 'a standby replaces it', async () => {
    finishReplacement(home);
    const lease = await acquireEmbeddedPostgres({ directory: standby, name, supervisor });
    let result: T;
    try {
      await withAdmin(lease.url, promote);
      result = await work(lease.url);
    } finally {
      await lease.end();
    }
    if (findRunningServer(from.cluster) !== null)
      throw new EmbeddedPostgresError('directory_in_use', `the standby in ${standby} is being used`);
    const draft = createDraft(home.root, home.root, COPY_PREFIX);
    try {
      copyTree(from.cluster, join(draft.path, 'cluster'));
      chownTreeLike(draft.path, home.root);
      startNewIncarnation(home);
      const previous = replaceCluster(home, join(draft.path, 'cluster'));
      removeTree(from.cluster);
      return { result, kept: previous };
    } finally {
      draft.discard();
    }
  });
}

async function promote(client: Client): Promise<void> {
  const { rows } = await client.query<{ follows: boolean }>('SELECT pg_is_in_recovery() AS follows');
  if (rows[0]?.follows === true) {
    const outcome = await client.query<{ done: boolean }>('SELECT pg_promote(true, $1) AS done', [PROMOTION_SECONDS]);
    if (outcome.rows[0]?.done !== true)
      throw new EmbeddedPostgresError('start_failed', 'the promotion of the standby failed');
  }
  await alterSystem(client, Object.fromEntries([...SETTINGS, 'archive_mode'].map((setting) => [setting, null])));
  await client.query('CHECKPOINT');
}

/** Prepares the replication slot. Returns false if the primary no longer has the WAL that the standby needs. */
async function prepareSlot(client: Client): Promise<boolean> {
  await alterSystem(client, { max_slot_wal_keep_size: MAX_SLOT_WAL });
  const { rows } = await client.query<{ lost: boolean }>(
    `SELECT wal_status IN ('lost', 'unreserved') AS lost FROM pg_replication_slots WHERE slot_name = $1`,
    [SLOT],
  );
  if (rows[0]?.lost === false) return true;
  if (rows[0]?.lost === true) await client.query('SELECT pg_drop_replication_slot($1)', [SLOT]);
  await client.query('SELECT pg_create_physical_replication_slot($1, true)', [SLOT]);
  return false;
}

async function createStandby(home: EmbeddedHome, incarnation: string, options: StandbyOptions): Promise<void> {
  const { directory, name, url } = options;
  if (existsSync(home.cluster) && !isStandby(home)) throw promoted(home);
  const draft = createDraft(home.root, home.root, COPY_PREFIX);
  try {
    const backup = await createBackup({ directory, name, url, backups: join(draft.path, 'backups') });
    const cluster = join(draft.path, 'cluster');
    await unpackBackup(backup, cluster);
    const settings = {
      primary_conninfo: connectionTo(url),
      primary_slot_name: SLOT,
      archive_mode: 'off',
      hot_standby: 'on',
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = '${value.replaceAll("'", "''")}'\n`);
    appendFileSync(join(cluster, 'postgresql.auto.conf'), `\n${lines.join('')}`);
    writeFileSync(join(cluster, 'standby.signal'), '', { mode: 0o600 });
    chownTreeLike(draft.path, home.root);
    removeTree(home.cluster);
    renameSync(cluster, home.cluster);
    replaceDurably(join(home.root, FOLLOWS_FILE), JSON.stringify({ life: incarnation, backups: null }));
  } finally {
    draft.discard();
  }
}

function connectionTo(url: string): string {
  const address = new URL(url);
  const password = address.password === '' ? '' : ` password=${decodeURIComponent(address.password)}`;
  const host = decodeURIComponent(address.hostname).replace(/['\\]/g, '\\$&');
  return `host='${host}' port=${address.port} user=postgres${password} application_name=${SLOT}`;
}

function isStandby({ cluster }: EmbeddedHome): boolean {
  return existsSync(join(cluster, 'standby.signal'));
}

function incarnationOf({ root }: EmbeddedHome): string | null {
  try {
    return (JSON.parse(readFileSync(join(root, FOLLOWS_FILE), 'utf8')) as { life?: string }).life ?? null;
  } catch {
    return null;
  }
}

function promoted({ root }: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'directory_damaged',
    `${root} contains a database that is not a standby; nothing in it was changed`,
  );
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isFile()) copyOne(source, target);
  }
  syncDirectory(to);
}

function copyOne(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  const file = openSync(to, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
