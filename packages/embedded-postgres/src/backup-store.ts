import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeDirectories } from './make-directories.js';
import { giveToOwnerOf, syncDirectory, writeDurably } from './durable-files.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { birthOf, ownIdentity } from './process-identity.js';

/** A backup, as the file beside it describes it. */
export interface BackupDescription {
  readonly version: 1;
  /** The moment at which it was begun, and four characters that make it its own. */
  readonly id: string;
  /** The life of the cluster: a restored one begins another, whose log is archived elsewhere. */
  readonly life: string;
  readonly application: string;
  /** The major version of PostgreSQL. */
  readonly postgres: number;
  readonly startedAt: string;
  /** The first moment that it leads to. */
  readonly endedAt: string;
  /** The files of the write-ahead log that it begins and ends with; it holds them, and all between. */
  readonly firstWal: string;
  readonly lastWal: string;
  readonly walBytes: number;
  readonly bytes: number;
  /** Facts that the application has of it. */
  readonly facts: Readonly<Record<string, string>>;
}

/** A backup and where it lies. */
export interface Backup extends BackupDescription {
  readonly directory: string;
}

/** The files of the cluster and their checksums, as PostgreSQL calls them. */
export const BASE_FILE = 'base/base.tar.gz';
export const MANIFEST_FILE = 'base/backup_manifest';

const DESCRIPTION_FILE = 'backup.json';
const BASES = 'base';
const WAL = 'wal';
const DRAFT_PREFIX = '.draft-';
/** Prefix of a copy of a cluster that is made beside it. */
export const COPY_PREFIX = 'copy-';

/** Returns where the log of one life of a cluster is archived. */
export function walDirectoryOf(directory: string, life: string): string {
  return join(directory, WAL, life);
}

/**
 * Returns the backups in a directory, the oldest first; of the directory of one backup, that one.
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

/** Returns the directory of all backups, whether it was named or one in it. */
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

/** A directory that becomes a part of its parent when it is complete; one of a process that is gone is removed. */
export interface Draft {
  readonly path: string;
  /** Names it so that everybody sees it, with all that is in it. */
  publish(name: string): string;
  discard(): void;
}

/**
 * Makes a draft in a directory, which is made where it is missing, and removes those of processes that are gone.
 *
 * @param model whose owner is to be able to write into it.
 */
export function createDraft(parent: string, model: string, prefix = DRAFT_PREFIX): Draft {
  makeDirectory(parent, model);
  sweepDrafts(parent, prefix);
  const { pid, birth } = ownIdentity();
  // Its name tells whose it is, from its first instant to its last: a process can be killed between any two steps.
  const path = mkdtempSync(join(parent, `${prefix}${pid}-${shortOf(birth)}-`));
  const discard = (): void => removeTree(path);
  try {
    giveToOwnerOf(path, model);
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

/** Removes the drafts of processes that are gone. */
export function sweepDrafts(parent: string, prefix = DRAFT_PREFIX): void {
  for (const name of entriesOf(parent).filter((one) => one.startsWith(prefix))) {
    const [, pid, birth] = /^(\d+)-([0-9a-f]{16})-/.exec(name.slice(prefix.length)) ?? [];
    const lives = birth !== undefined && shortOf(birthOf(Number(pid)) ?? '') === birth;
    if (!lives) removeTree(join(parent, name));
  }
}

/** Returns what a name can hold of the birth of a process. */
function shortOf(birth: string): string {
  return createHash('sha256').update(birth).digest('hex').slice(0, 16);
}

/** Removes a tree. Something that outlived its killed process may still write there for an instant: hence the retries. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Begins a backup: its draft, in which the server may write. */
export function beginBackup(directory: string, model: string): { readonly id: string; readonly draft: Draft } {
  makeDirectory(directory, model);
  const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return { id: `${moment}-${randomBytes(2).toString('hex')}`, draft: createDraft(join(directory, BASES), model) };
}

/** Ends a backup: from now on it is there. */
export function completeBackup(draft: Draft, description: BackupDescription): Backup {
  writeDurably(join(draft.path, DESCRIPTION_FILE), JSON.stringify(description, null, 2));
  return { ...description, directory: draft.publish(description.id) };
}

/**
 * Removes the backups that no moment of the last days needs any more, and what is archived for them alone.
 *
 * @param life the life that is being archived: its log stays from its oldest backup on.
 * @returns the ids of those that went.
 */
export function pruneBackups(directory: string, keepDays: number, life: string, now = Date.now()): string[] {
  const backups = listBackups(directory);
  const floor = new Date(now - keepDays * 86_400_000).toISOString();
  // The one before the first of those days is what leads to its beginning.
  const due = backups.filter((_, at) => {
    const next = backups[at + 1];
    return next !== undefined && next.endedAt < floor;
  });
  for (const backup of due) removeTree(backup.directory);
  const kept = backups.filter((backup) => !due.includes(backup));
  for (const archived of entriesOf(join(directory, WAL))) {
    const oldest = kept.find((backup) => backup.life === archived);
    if (oldest !== undefined) removeWalBefore(walDirectoryOf(directory, archived), oldest.firstWal);
    else if (archived !== life) removeTree(walDirectoryOf(directory, archived));
  }
  return due.map(({ id }) => id);
}

function removeWalBefore(directory: string, first: string): void {
  for (const name of entriesOf(directory)) {
    if (/^[0-9A-F]{24}/.test(name) && name.slice(0, 24) < first) rmSync(join(directory, name), { force: true });
  }
}

/**
 * Makes a directory of backups, readable by its owner alone.
 *
 * @throws EmbeddedPostgresError `backup_failed`
 */
export function makeDirectory(path: string, model: string): void {
  try {
    if (makeDirectories(path, 0o700) !== undefined) giveToOwnerOf(path, model);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError('backup_failed', `the directory of backups ${path} cannot be made (${reason})`);
  }
}

/** Returns the names in a directory; none if there is no such directory. */
export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
