import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withAdmin } from './admin-connection.js';
import { type Backup, storeOf } from './backup-store.js';
import { majorVersionOfBinaries } from './binaries.js';
import { createHome, embeddedHomeAt, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { holdDirectory } from './hold-directory.js';
import { planRecovery } from './recovery-plan.js';
import { recoverCopy } from './recovered-copy.js';
import { finishReplacement, replaceCluster } from './replace-cluster.js';
import { beginNewLife } from './wal-archive.js';

/** Options of a recovery: what to bring back, and how far. */
export interface RecoveryOptions<T> {
  /** the directory of all backups, or of one */
  readonly from: string;
  /** as far as the log goes unless given */
  readonly at?: Date;
  readonly name: string;
  readonly supervisor?: string;
  /** Refuses a backup before anything is done with it, by throwing. */
  readonly accept?: (backup: Backup) => void;
  /** Works with the copy, at this address, while nobody else does. What it throws leaves everything as it was. */
  readonly work: (url: string, source: RecoverySource) => Promise<T>;
}

/** Source of a copy. */
export interface RecoverySource {
  readonly backup: Backup;
  /** The moment that was asked for, or the last one that the log leads to. */
  readonly until: Date;
}

/** Result of a recovery. */
export interface Recovered<T> extends RecoverySource {
  readonly result: T;
}

/**
 * Puts what a backup and the log of a server lead to in place of the cluster of a directory. It is made, brought to the moment and
 * worked on beside the old one, which is kept; killed at any moment this leaves the old or the new one, whole.
 *
 * @throws EmbeddedPostgresError as {@link planRecovery} does, `directory_in_use`, `backup_failed` or `start_failed`
 */
export async function restoreBackup<T>(
  options: RecoveryOptions<T> & { readonly directory: string },
): Promise<Recovered<T> & { readonly kept: string | null }> {
  const { from, at, name, directory, supervisor, accept, work } = options;
  const planned = { from, at, application: name, majorVersion: majorVersionOfBinaries() };
  // Before anything is made: what cannot be restored leaves no directory behind. The log of the cluster itself may lead further.
  const { backup: chosen } = planRecovery({
    ...planned,
    liveLog: (life) => logOfLife(embeddedHomeAt(resolve(directory), name), life),
  });
  accept?.(chosen);
  const home = createHome(directory, name);
  return holdDirectory(home, 'a backup is being restored', async () => {
    finishReplacement(home);
    const plan = planRecovery({ ...planned, liveLog: (life) => logOfLife(home, life) });
    const copy = await recoverCopy(plan, home.root, name, supervisor);
    try {
      const source = { backup: plan.backup, until: plan.at ?? plan.reach };
      const result = await work(copy.lease.url, source);
      const cluster = await copy.finish();
      beginNewLife(home);
      return { ...source, result, kept: replaceCluster(home, cluster) };
    } finally {
      await copy.discard();
    }
  });
}

/**
 * Does all of a restore but the last step: a backup is unpacked and compared with its checksums, its log is replayed to the end, a
 * server runs on it, and every table and index is read through.
 *
 * @throws EmbeddedPostgresError as {@link restoreBackup} does, and `backup_damaged` for what the check of tables finds.
 */
export async function verifyBackup<T>(options: RecoveryOptions<T>): Promise<Recovered<T>> {
  const { from, at, name, supervisor, accept, work } = options;
  const plan = planRecovery({ from, at, application: name, majorVersion: majorVersionOfBinaries() });
  accept?.(plan.backup);
  // Where backups have room there may be some for a copy; the directory of temporary files may be memory.
  const copy = await recoverCopy(plan, realpathSync(storeOf(from)), name, supervisor);
  try {
    await checkTables(copy.lease.url, name, plan.backup);
    const source = { backup: plan.backup, until: plan.at ?? plan.reach };
    return { ...source, result: await work(copy.lease.url, source) };
  } finally {
    await copy.discard();
  }
}

/** Checks all tables: every index agrees with its table, and every row can be read (PostgreSQL, appendix F.1). */
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

/** Returns the log of a cluster of that life, which reaches to its end. */
function logOfLife(home: EmbeddedHome, life: string): string | null {
  try {
    const known = JSON.parse(readFileSync(join(home.root, 'archive.json'), 'utf8')) as { life?: string };
    const log = join(home.cluster, 'pg_wal');
    return known.life === life && statSync(log).isDirectory() ? log : null;
  } catch {
    return null;
  }
}
