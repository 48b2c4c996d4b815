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

/** A cluster of its own, made from a backup, whose server runs on a socket of its own. */
export interface RecoveredCopy {
  readonly lease: EmbeddedPostgresLease;
  /** Stops the server, and returns its cluster. */
  finish(): Promise<string>;
  discard(): Promise<void>;
}

/** Settings of a recovery, taken back when it is through. */
const RECOVERY_SETTINGS = {
  // Of the cluster that the backup was made of.
  archive_mode: 'off',
  archive_library: '',
  primary_conninfo: '',
  primary_slot_name: '',
  synchronous_standby_names: '',
  // All that is needed lies in place; PostgreSQL asks for a command nevertheless, and goes on where it fails.
  restore_command: 'exit 1',
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // Nobody looks at it before it is there.
  hot_standby: 'off',
};
const NOT_REACHED = 'recovery ended before configured recovery target was reached';

/**
 * Makes a cluster from a backup and the log, in a directory beside others, and starts a server on it that has come to the moment of
 * the plan. Nothing of it is left when this process is gone, and somebody looks.
 *
 * @param parent in which it is made, by whose owner.
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
    giveTree(home.root, parent);
    return await startCopy(plan, draft, home, supervisor);
  } catch (error) {
    draft.discard();
    throw worded(error, parent);
  }
}

async function fillCluster({ backup, wal, at }: RecoveryPlan, { cluster }: EmbeddedHome, name: string): Promise<void> {
  await unpackBackup(backup, cluster);
  for (const file of wal) await placeWalFile(file, join(cluster, 'pg_wal'));
  const target = at === null ? {} : { recovery_target_time: asMoment(at) };
  const settings = Object.entries({ ...RECOVERY_SETTINGS, ...target }).map(([key, value]) => `${key} = '${value}'\n`);
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `\n${settings.join('')}`);
  writeFileSync(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
  const made = { createdBy: name, postgres: backup.postgres, from: backup.id };
  writeDurably(join(cluster, `${name}-cluster.json`), JSON.stringify(made));
}

/** Returns a moment as PostgreSQL reads it: it takes no abbreviation of a zone here, and `Z` is one. */
function asMoment(at: Date): string {
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
    // The log goes beyond the moment, and nothing was committed in between.
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

/** Gives a tree to the owner of a path, where root made it for a server that runs as somebody else. */
export function giveTree(path: string, model: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(model);
  const give = (entry: string): void => {
    if (statSync(entry).isDirectory()) for (const child of readdirSync(entry)) give(join(entry, child));
    chownSync(entry, uid, gid);
  };
  if (uid !== 0) give(path);
}

function worded(error: unknown, parent: string): unknown {
  const code = errnoOf(error);
  if (error instanceof EmbeddedPostgresError || !['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? ''))
    return error;
  return new EmbeddedPostgresError('backup_failed', `the backup could not be unpacked in ${parent} (${code})`, {
    cause: error,
  });
}
