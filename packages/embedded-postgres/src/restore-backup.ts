import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withAdmin } from './admin-connection.js';
import { type Backup, storeOf } from './backup-store.js';
import { majorVersionOfBinaries } from './binaries.js';
import { createHome, embeddedHomeAt, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { withDirectoryLock } from './directory-lock.js';
import { planRecovery } from './recovery-plan.js';
import { recoverCopy } from './recovered-copy.js';
import { finishReplacement, replaceCluster } from './replace-cluster.js';
import { startNewIncarnation } from './wal-archive.js';

export interface RecoveryOptions<T> {
  /** Directory of all backups, or of one. */
  readonly from: string;
  /** Point in time. Default: the end of the WAL. */
  readonly at?: Date;
  readonly name: string;
  readonly supervisor?: string;
  /** Rejects a backup before anything is changed, by throwing. */
  readonly accept?: (backup: Backup) => void;
  /** Runs with exclusive access to the copy, at this URL. If it throws, nothing is changed. */
  readonly work: (url: string, source: RecoverySource) => Promise<T>;
}

export interface RecoverySource {
  readonly backup: Backup;
  /** The requested point in time, or the latest one that the WAL covers. */
  readonly until: Date;
}

export interface Recovered<T> extends RecoverySource {
  readonly result: T;
}

/**
 * Replaces the cluster of a directory by one that is restored from a backup and the WAL. The new cluster is created and prepared next to
 * the old one, which is kept. A killed process leaves the old or the new cluster, complete.
 *
 * @throws EmbeddedPostgresError as {@link planRecovery} does, `directory_in_use`, `backup_failed` or `start_failed`
 */
export async function restoreBackup<T>(
  options: RecoveryOptions<T> & { readonly directory: string },
): Promise<Recovered<T> & { readonly kept: string | null }> {
  const { from, at, name, directory, supervisor, accept, work } = options;
  const planned = { from, at, application: name, majorVersion: majorVersionOfBinaries() };
  // Planned before anything is created, so that an impossible restore leaves no directory. The WAL of the current cluster may cover more
  // time.
  const { backup: chosen } = planRecovery({
    ...planned,
    liveLog: (incarnation) => walOfIncarnation(embeddedHomeAt(resolve(directory), name), incarnation),
  });
  accept?.(chosen);
  const home = createHome(directory, name);
  return withDirectoryLock(home, 'a backup is being restored', async () => {
    finishReplacement(home);
    const plan = planRecovery({ ...planned, liveLog: (incarnation) => walOfIncarnation(home, incarnation) });
    const copy = await recoverCopy(plan, home.root, name, supervisor);
    try {
      const source = { backup: plan.backup, until: plan.at ?? plan.reach };
      const result = await work(copy.lease.url, source);
      const cluster = await copy.finish();
      startNewIncarnation(home);
      return { ...source, result, kept: replaceCluster(home, cluster) };
    } finally {
      await copy.discard();
    }
  });
}

/**
 * Runs all steps of a restore except the last. It unpacks a backup and verifies its checksums, replays the WAL to the end, starts a server,
 * and checks every table and index.
 *
 * @throws EmbeddedPostgresError as {@link restoreBackup} does, and `backup_damaged` if the check of tables fails.
 */
export async function verifyBackup<T>(options: RecoveryOptions<T>): Promise<Recovered<T>> {
  const { from, at, name, supervisor, accept, work } = options;
  const plan = planRecovery({ from, at, application: name, majorVersion: majorVersionOfBinaries() });
  accept?.(plan.backup);
  // The disk of the backups probably has room for a copy. The temporary directory may be in memory.
  const copy = await recoverCopy(plan, realpathSync(storeOf(from)), name, supervisor);
  try {
    await checkTables(copy.lease.url, name, plan.backup);
    const source = { backup: plan.backup, until: plan.at ?? plan.reach };
    return { ...source, result: await work(copy.lease.url, source) };
  } finally {
    await copy.discard();
  }
}

/** Checks that every index matches its table, and every row can be read (PostgreSQL, appendix F.1). */
async function checkTables(url: string, database: string, backup: Backup): Promise<void> {
  await withAdmin(
    url,
    async (client) => {
      await client.query('CREATE EXTENSION IF NOT EXISTS amcheck');
      try {
        await client.query(`SELECT bt_index_check(i.indexrelid, true) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
          JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relpersistence = 'p' AND i.indisvalid`);
        const { rows } = await client.query<{ relname: string; msg: string }>(
          `SELECT c.relname, v.msg FROM pg_class c, LATERAL verify_heapam(c.oid) v WHERE c.relkind IN ('r', 'm') AND c.relpersistence = 'p' LIMIT 1`,
        );
        const [found] = rows;
        if (found) throw new Error(`${found.relname}: ${found.msg}`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new EmbeddedPostgresError('backup_damaged', `the backup ${backup.directory} is damaged: ${reason}`);
      }
    },
    { database },
  );
}

/** Returns the WAL directory of the cluster if it has this history, or null. */
function walOfIncarnation(home: EmbeddedHome, incarnation: string): string | null {
  try {
    const archive = JSON.parse(readFileSync(join(home.root, 'archive.json'), 'utf8')) as { life?: string };
    const log = join(home.cluster, 'pg_wal');
    return archive.life === incarnation && statSync(log).isDirectory() ? log : null;
  } catch {
    return null;
  }
}
