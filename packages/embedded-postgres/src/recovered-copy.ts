import { appendFileSync, chownSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alterSystem, withAdmin } from './admin-connection.js';
import { createDraft, type Draft, COPY_PREFIX } from './backup-store.js';
import { tailOf } from './bounded-log.js';
import { writeDurably } from './durable-files.js';
import { createHome, type EmbeddedHome } from './embedded-home.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgresLease } from './embedded-lease.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { findRunningServer } from './postmaster-file.js';
import type { RecoveryPlan } from './recovery-plan.js';
import { unpackBackup } from './unpack-backup.js';
import { placeWalFile } from './wal-files.js';

export interface RecoveredCopy {
  readonly lease: EmbeddedPostgresLease;
  finish(): Promise<string>;
  discard(): Promise<void>;
}

/** Settings of a recovery, reset when it is complete. */
const RECOVERY_SETTINGS = {
  // Settings of the original cluster.
  archive_mode: 'off',
  archive_library: '',
  primary_conninfo: '',
  primary_slot_name: '',
  synchronous_standby_names: '',
  // All files are in place. PostgreSQL requires a command, and continues when it fails.
  restore_command: 'exit 1',
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // No connections are needed before the recovery is complete.
  hot_standby: 'off',
};
const NOT_REACHED = 'recovery ended before configured recovery target was reached';

/**
 * Restores a cluster from a backup and the WAL, in a temporary directory, and starts a server at the point in time of the plan. If this
 * process dies, a later process deletes the directory.
 *
 * @param parent directory of the copy, which gets the same owner.
 * @throws EmbeddedPostgresError `backup_damaged`, `backup_failed` if the disk is full, or `start_failed`
 */
export async function recoverCopy(
  plan: RecoveryPlan,
  parent: string,
  name: string,
  supervisor?: string,
): Promise<RecoveredCopy> {
  const draft = createDraft(parent, parent, COPY_PREFIX);
  try {
    const home = createHome(join(draft.path, 'postgres'), name);
    await fillCluster(plan, home, name);
    chownTreeLike(home.root, parent);
    return await startCopy(plan, draft, home, supervisor);
  } catch (error) {
    draft.discard();
    throw describeError(error, parent);
  }
}

async function fillCluster({ backup, wal, at }: RecoveryPlan, { cluster }: EmbeddedHome, name: string): Promise<void> {
  await unpackBackup(backup, cluster);
  for (const file of wal) await placeWalFile(file, join(cluster, 'pg_wal'));
  const target = at === null ? {} : { recovery_target_time: asTimestamp(at) };
  const settings = Object.entries({ ...RECOVERY_SETTINGS, ...target }).map(([key, value]) => `${key} = '${value}'\n`);
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `\n${settings.join('')}`);
  writeFileSync(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
  const marker = { createdBy: name, postgres: backup.postgres, from: backup.id };
  writeDurably(join(cluster, `${name}-cluster.json`), JSON.stringify(marker));
}

/** Formats a timestamp for PostgreSQL, which does not accept `Z` here. */
function asTimestamp(at: Date): string {
  return at.toISOString().replace('Z', '+00');
}

async function startCopy(
  plan: RecoveryPlan,
  draft: Draft,
  home: EmbeddedHome,
  supervisor: string | undefined,
): Promise<RecoveredCopy> {
  const acquire = (): Promise<EmbeddedPostgresLease> =>
    acquireEmbeddedPostgres({ directory: home.root, name: home.name, supervisor });
  const lease = await acquire().catch((error: unknown) => {
    // The WAL ends after this time, but has no later commit. So the target cannot be reached, and is removed.
    if (plan.at === null || !tailOf(home.postgresLog, 0, 200_000).includes(NOT_REACHED)) throw error;
    appendFileSync(join(home.cluster, 'postgresql.auto.conf'), `recovery_target_time = ''\n`);
    return acquire();
  });
  const discard = async (): Promise<void> => {
    await lease.end();
    draft.discard();
  };
  try {
    const names = [...Object.keys(RECOVERY_SETTINGS), 'recovery_target_time'];
    await withAdmin(lease.url, (client) =>
      alterSystem(client, Object.fromEntries(names.map((setting) => [setting, null]))),
    );
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    lease,
    discard,
    async finish() {
      await lease.end();
      if (findRunningServer(home.cluster) !== null)
        throw new EmbeddedPostgresError('start_failed', `the PostgreSQL of the copy in ${home.root} does not stop`);
      return home.cluster;
    },
  };
}

/** Changes the owner of a tree to that of a path, if root created it for a server that runs as another user. */
export function chownTreeLike(path: string, model: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(model);
  const chownEntry = (entry: string): void => {
    if (statSync(entry).isDirectory()) for (const child of readdirSync(entry)) chownEntry(join(entry, child));
    chownSync(entry, uid, gid);
  };
  if (uid !== 0) chownEntry(path);
}

function describeError(error: unknown, parent: string): unknown {
  const code = errnoOf(error);
  if (error instanceof EmbeddedPostgresError || !['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? ''))
    return error;
  return new EmbeddedPostgresError('backup_failed', `the backup could not be unpacked in ${parent} (${code})`, {
    cause: error,
  });
}
