import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createDirectories } from './create-directories.js';
import { chownLike, syncDirectory, writeDurably } from './durable-files.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { birthOf, ownIdentity } from './process-identity.js';

export interface BackupDescription {
  readonly version: 1;
  /** Start time and four random characters. */
  readonly id: string;
  /** Id of the cluster's history. A restored cluster has a new one, with a separate WAL archive. */
  readonly life: string;
  readonly application: string;
  readonly postgres: number;
  readonly startedAt: string;
  /** The earliest point in time that can be restored from it. */
  readonly endedAt: string;
  /** First and last WAL file of the backup, which contains all files between them. */
  readonly firstWal: string;
  readonly lastWal: string;
  readonly walBytes: number;
  readonly bytes: number;
  readonly facts: Readonly<Record<string, string>>;
}

export interface Backup extends BackupDescription {
  readonly directory: string;
}

/** Files of the cluster and their checksums, with PostgreSQL's file names. */
export const BASE_FILE = 'base/base.tar.gz';
export const MANIFEST_FILE = 'base/backup_manifest';

const DESCRIPTION_FILE = 'backup.json';
const BASES = 'base';
const WAL = 'wal';
const DRAFT_PREFIX = '.draft-';
/** Prefix of a temporary cluster next to the real one. */
export const COPY_PREFIX = 'copy-';

export function walDirectoryOf(directory: string, incarnation: string): string {
  return join(directory, WAL, incarnation);
}

/**
 * Returns the backups in a directory, oldest first. For the directory of one backup, returns that backup.
 *
 * @throws EmbeddedPostgresError `backup_damaged` for a description that cannot be read.
 */
export function listBackups(directory: string): Backup[] {
  if (existsSync(join(directory, DESCRIPTION_FILE))) return [readBackup(directory)];
  return entriesOf(join(directory, BASES))
    .filter((name) => !name.startsWith('.') && existsSync(join(directory, BASES, name, DESCRIPTION_FILE)))
    .map((name) => readBackup(join(directory, BASES, name)))
    .sort((one, other) => (one.endedAt < other.endedAt ? -1 : 1));
}

/** Returns the directory of all backups, for its own path or that of one backup. */
export function storeOf(directory: string): string {
  const path = resolve(directory);
  const isOne = existsSync(join(path, DESCRIPTION_FILE)) && basename(dirname(path)) === BASES;
  return isOne ? dirname(dirname(path)) : path;
}

function readBackup(directory: string): Backup {
  try {
    const description = JSON.parse(readFileSync(join(directory, DESCRIPTION_FILE), 'utf8')) as BackupDescription;
    if (description.version !== 1 || typeof description.firstWal !== 'string') throw new Error('of another form');
    return { ...description, directory };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError('backup_damaged', `the backup ${directory} has no description (${reason})`);
  }
}

/** A temporary directory that is renamed when it is complete. Drafts of dead processes are deleted. */
export interface Draft {
  readonly path: string;
  /** Renames the draft to its final name, in one step. */
  publish(name: string): string;
  discard(): void;
}

/** Creates a draft, owned by the owner of `model`, and deletes drafts of dead processes. */
export function createDraft(parent: string, model: string, prefix = DRAFT_PREFIX): Draft {
  createDirectory(parent, model);
  sweepDrafts(parent, prefix);
  const { pid, birth } = ownIdentity();
  // The name identifies the process from the start, because a process can be killed at any time.
  const path = mkdtempSync(join(parent, `${prefix}${pid}-${shortOf(birth)}-`));
  const discard = (): void => removeTree(path);
  try {
    chownLike(path, model);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    path,
    discard,
    publish(name) {
      syncDirectory(path);
      const target = join(parent, name);
      renameSync(path, target);
      syncDirectory(parent);
      return target;
    },
  };
}

export function sweepDrafts(parent: string, prefix = DRAFT_PREFIX): void {
  for (const name of entriesOf(parent).filter((one) => one.startsWith(prefix))) {
    const [, pid, birth] = /^(\d+)-([0-9a-f]{16})-/.exec(name.slice(prefix.length)) ?? [];
    const isAlive = birth !== undefined && shortOf(birthOf(Number(pid)) ?? '') === birth;
    if (!isAlive) removeTree(join(parent, name));
  }
}

function shortOf(birth: string): string {
  return createHash('sha256').update(birth).digest('hex').slice(0, 16);
}

/** Deletes a tree. A child of a killed process may still write to it for a moment, so deleting is retried. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

export function startBackup(directory: string, model: string): { readonly id: string; readonly draft: Draft } {
  createDirectory(directory, model);
  const timestamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return { id: `${timestamp}-${randomBytes(2).toString('hex')}`, draft: createDraft(join(directory, BASES), model) };
}

export function completeBackup(draft: Draft, description: BackupDescription): Backup {
  writeDurably(join(draft.path, DESCRIPTION_FILE), JSON.stringify(description, null, 2));
  return { ...description, directory: draft.publish(description.id) };
}

/**
 * Deletes backups that are not needed to restore any point in time of the last days, and their part of the archive.
 *
 * @param incarnation the current history: its archive is kept from its oldest backup on.
 * @returns the ids of the deleted backups.
 */
export function pruneBackups(directory: string, keepDays: number, incarnation: string, now = Date.now()): string[] {
  const backups = listBackups(directory);
  const floor = new Date(now - keepDays * 86_400_000).toISOString();
  // The last backup before the first of those days is needed to restore the beginning of that day.
  const due = backups.filter((_, at) => {
    const next = backups[at + 1];
    return next !== undefined && next.endedAt < floor;
  });
  for (const backup of due) removeTree(backup.directory);
  const remaining = backups.filter((backup) => !due.includes(backup));
  for (const archived of entriesOf(join(directory, WAL))) {
    const oldest = remaining.find((backup) => backup.life === archived);
    if (oldest !== undefined) removeWalBefore(walDirectoryOf(directory, archived), oldest.firstWal);
    else if (archived !== incarnation) removeTree(walDirectoryOf(directory, archived));
  }
  return due.map(({ id }) => id);
}

function removeWalBefore(directory: string, first: string): void {
  for (const name of entriesOf(directory)) {
    if (/^[0-9A-F]{24}/.test(name) && name.slice(0, 24) < first) rmSync(join(directory, name), { force: true });
  }
}

/** @throws EmbeddedPostgresError `backup_failed` */
export function createDirectory(path: string, model: string): void {
  try {
    if (createDirectories(path, 0o700) !== undefined) chownLike(path, model);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError('backup_failed', `the backup directory ${path} cannot be created (${reason})`);
  }
}

export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
