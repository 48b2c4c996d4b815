import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { alterSystem, withAdmin } from './admin-connection.js';
import { createDirectory, walDirectoryOf } from './backup-store.js';
import { chownLike, replaceDurably, writeDurably } from './durable-files.js';
import { createHome, type EmbeddedHome } from './embedded-home.js';
import { errnoOf } from './embedded-postgres.errors.js';

interface ArchiveFile {
  readonly life: string;
  /** Null if archiving is off. */
  readonly backups: string | null;
}

const OWNER_FILE = 'owner.json';
/** The server archives at least this often, so the loss of a disk loses at most the changes of this period. */
const ARCHIVE_TIMEOUT = '60s';

/** Returns the id of the cluster's history. A restore, or a time without an archive, begins a new history. */
export function currentIncarnation({ directory, name }: { readonly directory: string; readonly name: string }): string {
  const home = createHome(directory, name);
  const archive = readArchiveFile(home);
  return archive?.life ?? remember(home, { life: newIncarnation(), backups: null }).life;
}

export function startNewIncarnation(home: EmbeddedHome): void {
  remember(home, { life: newIncarnation(), backups: null });
}

/**
 * Lets the running server archive its WAL to the directory of backups, or turns archiving off.
 *
 * @returns whether the server must be restarted for that.
 * @throws EmbeddedPostgresError `backup_failed` if the directory cannot be created.
 */
export async function configureArchive(home: EmbeddedHome, url: string, backups: string | null): Promise<boolean> {
  const archive = readArchiveFile(home);
  if (backups === null && (archive === null || archive.backups === null)) return false;
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ archive_mode: string }>('SHOW archive_mode');
    const isOn = rows[0]?.archive_mode === 'on';
    if (backups === null) {
      const settings = ['archive_library', 'basic_archive.archive_directory', 'archive_timeout', 'archive_mode'];
      await alterSystem(client, Object.fromEntries(settings.map((name) => [name, null])));
      remember(home, { life: newIncarnation(), backups: null });
      return isOn;
    }
    const directory = prepareArchive(home, resolve(backups));
    await alterSystem(client, {
      archive_library: 'basic_archive',
      'basic_archive.archive_directory': directory,
      archive_timeout: ARCHIVE_TIMEOUT,
      archive_mode: 'on',
    });
    return !isOn;
  });
}

export async function isArchiving(url: string): Promise<boolean> {
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<{ archive_mode: string }>('SHOW archive_mode');
    return rows[0]?.archive_mode === 'on';
  });
}

/** Returns the directory of the archive. A copied cluster gets a new one, and does not use that of the original. */
function prepareArchive(home: EmbeddedHome, backups: string): string {
  const archive = readArchiveFile(home);
  const continued = archive?.backups === backups && ownerOf(walDirectoryOf(backups, archive.life)) === home.root;
  const incarnation = continued ? archive.life : newIncarnation();
  const directory = walDirectoryOf(backups, incarnation);
  createDirectory(backups, home.cluster);
  createDirectory(join(backups, 'wal'), home.cluster);
  createDirectory(directory, home.cluster);
  if (continued) return directory;
  writeDurably(join(directory, OWNER_FILE), JSON.stringify({ root: home.root }));
  remember(home, { life: incarnation, backups });
  return directory;
}

function ownerOf(directory: string): string | null {
  const owner = readJson<{ root?: string }>(join(directory, OWNER_FILE));
  return owner?.root ?? null;
}

function readArchiveFile(home: EmbeddedHome): ArchiveFile | null {
  const file = readJson<ArchiveFile>(archiveFileOf(home));
  return typeof file?.life === 'string' ? file : null;
}

function remember(home: EmbeddedHome, file: ArchiveFile): ArchiveFile {
  replaceDurably(archiveFileOf(home), JSON.stringify(file));
  chownLike(archiveFileOf(home), home.root);
  return file;
}

function archiveFileOf({ root }: EmbeddedHome): string {
  return join(root, 'archive.json');
}

function newIncarnation(): string {
  return randomBytes(6).toString('hex');
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
