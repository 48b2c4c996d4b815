import { resolve } from 'node:path';
import { type Backup, listBackups, storeOf, walDirectoryOf } from './backup-store.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { nextWalFile, type WalFile, walFilesIn } from './wal-files.js';

export interface RecoveryPlan {
  readonly backup: Backup;
  /** WAL files after those of the backup, in order. */
  readonly wal: readonly WalFile[];
  /** Null: to the end of the WAL. */
  readonly at: Date | null;
  readonly reach: Date;
}

export interface PlanOptions {
  /** Directory of all backups, or of one. */
  readonly from: string;
  readonly at?: Date;
  readonly application: string;
  readonly majorVersion: number;
  /** Returns the WAL directory of an unused cluster with this history, or null. It covers the time until now. */
  readonly liveLog?: (incarnation: string) => string | null;
}

/** Possible difference between clocks of different machines. */
const CLOCK_TOLERANCE_MS = 1000;

/**
 * Chooses the newest backup that was complete before a point in time, and the WAL files from there.
 *
 * @throws EmbeddedPostgresError `backup_missing`, `backup_damaged`, `moment_missing`, `archive_gap`, `directory_older` or `directory_newer`
 */
export function planRecovery({ from, at, application, majorVersion, liveLog }: PlanOptions): RecoveryPlan {
  const now = Date.now();
  if (at !== undefined && at.getTime() > now + CLOCK_TOLERANCE_MS)
    throw missing(`${at.toISOString()} is in the future`);
  const directory = resolve(from);
  const backup = chooseBackup(directory, at);
  assertFits(backup, application, majorVersion);
  const archive = walDirectoryOf(storeOf(directory), backup.life);
  const live = liveLog?.(backup.life) ?? null;
  const files = live === null ? walFilesIn(archive) : new Map([...walFilesIn(live), ...walFilesIn(archive)]);
  const chain = chainFrom(backup, files);
  const end = Math.max(Date.parse(backup.endedAt), ...chain.map(({ archivedAt }) => archivedAt));
  const reach = new Date(live === null || isBroken(chain, backup, files) ? end : now);
  if (isBroken(chain, backup, files) && (at === undefined || at > reach)) throw gap(chain, backup, archive, reach);
  if (at !== undefined && at > reach)
    throw missing(
      `${at.toISOString()} cannot be restored: the backup ${backup.directory} and the log in ${archive} end at ${reach.toISOString()}`,
    );
  return { backup, wal: until(chain, at), at: at ?? null, reach };
}

function chooseBackup(directory: string, at: Date | undefined): Backup {
  const backups = listBackups(directory);
  const [first] = backups;
  if (first === undefined) throw new EmbeddedPostgresError('backup_missing', `there is no backup in ${directory}`);
  const chosen =
    at === undefined ? backups.at(-1) : backups.findLast(({ endedAt }) => Date.parse(endedAt) <= at.getTime());
  if (chosen !== undefined) return chosen;
  throw missing(`${at?.toISOString()} cannot be restored: the first backup in ${directory} ended at ${first.endedAt}`);
}

function assertFits({ directory, ...backup }: Backup, application: string, majorVersion: number): void {
  if (backup.application !== application)
    throw new EmbeddedPostgresError('backup_damaged', `the backup ${directory} belongs to ${backup.application}`);
  if (backup.postgres === majorVersion) return;
  throw new EmbeddedPostgresError(
    backup.postgres > majorVersion ? 'directory_newer' : 'directory_older',
    `the backup ${directory} was created by PostgreSQL ${backup.postgres}, and this is PostgreSQL ${majorVersion}`,
  );
}

/** Returns the files from the last one of the backup up to the first gap. */
function chainFrom({ lastWal, walBytes }: Backup, files: ReadonlyMap<string, WalFile>): WalFile[] {
  const chain: WalFile[] = [];
  for (let file = files.get(lastWal); file !== undefined; file = files.get(nextWalFile(file.name, walBytes)))
    chain.push(file);
  return chain;
}

/** Returns whether there are files after the end of the chain, on its timeline. */
function isBroken(chain: readonly WalFile[], { lastWal }: Backup, files: ReadonlyMap<string, WalFile>): boolean {
  const last = chain.at(-1)?.name ?? lastWal;
  const timeline = lastWal.slice(0, 8);
  return [...files.keys()].some((name) => name.startsWith(timeline) && name > last);
}

/** The first file that was archived after `at` contains it. One more file is included, because clocks may differ. */
function until(chain: readonly WalFile[], at: Date | undefined): readonly WalFile[] {
  if (at === undefined) return chain;
  const end = chain.findIndex(({ archivedAt }) => archivedAt > at.getTime() + CLOCK_TOLERANCE_MS);
  return end === -1 ? chain : chain.slice(0, end + 2);
}

function gap(chain: readonly WalFile[], backup: Backup, archive: string, reach: Date): EmbeddedPostgresError {
  const last = chain.at(-1)?.name;
  const lacking = last === undefined ? backup.lastWal : nextWalFile(last, backup.walBytes);
  return new EmbeddedPostgresError(
    'archive_gap',
    `the log in ${archive} lacks ${lacking}: the backup ${backup.id} cannot be restored beyond ${reach.toISOString()}`,
  );
}

function missing(message: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('moment_missing', message);
}
