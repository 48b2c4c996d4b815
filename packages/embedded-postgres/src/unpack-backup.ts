import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { BASE_FILE, type Backup, MANIFEST_FILE } from './backup-store.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { readTar, type TarEntry, type TarSink } from './tar-reader.js';

interface ManifestFile {
  readonly Path?: string;
  readonly 'Encoded-Path'?: string;
  readonly Size: number;
  readonly Checksum?: string;
}

/** The manifest lists WAL positions, but no WAL files. */
const LOG = 'pg_wal/';

/**
 * Unpacks a backup into a new directory, and compares each file with the server's manifest.
 *
 * @throws EmbeddedPostgresError `backup_damaged`; the system error if the disk is full.
 */
export async function unpackBackup(backup: Backup, target: string): Promise<void> {
  const expected = readManifest(backup);
  const found = new Map<string, { readonly size: number; readonly checksum: string }>();
  mkdirSync(target, { mode: 0o700 });
  const file = createReadStream(join(backup.directory, BASE_FILE));
  const content = createGunzip();
  file.on('error', (error) => content.destroy(error));
  try {
    await readTar(file.pipe(content), async (entry) => unpackEntry(entry, target, found));
  } catch (error) {
    if (['ENOSPC', 'EACCES', 'EPERM', 'EROFS', 'EDQUOT'].includes(errnoOf(error) ?? '')) throw error;
    throw damagedBackup(backup, `${BASE_FILE}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    file.destroy();
  }
  for (const { path, size, checksum } of expected) {
    const existing = found.get(path);
    if (existing === undefined) throw damagedBackup(backup, `${path} is missing`);
    if (existing.size !== size || existing.checksum !== checksum) throw damagedBackup(backup, `${path} was changed`);
    found.delete(path);
  }
  const added = [...found.keys()].find((path) => !path.startsWith(LOG));
  if (added !== undefined) throw damagedBackup(backup, `${added} was added`);
}

async function unpackEntry(
  { path, isDirectory, size }: TarEntry,
  target: string,
  found: Map<string, { size: number; checksum: string }>,
): Promise<TarSink> {
  const destination = join(target, path);
  mkdirSync(isDirectory ? destination : dirname(destination), { recursive: true, mode: 0o700 });
  if (isDirectory) return { write: () => Promise.resolve(), end: () => Promise.resolve() };
  const file = await open(destination, 'w', 0o600);
  const hash = createHash('sha256');
  return {
    async write(chunk) {
      hash.update(chunk);
      await file.writeFile(chunk);
    },
    async end() {
      await file.close();
      found.set(path, { size, checksum: hash.digest('hex') });
    },
  };
}

function readManifest(backup: Backup): { path: string; size: number; checksum: string }[] {
  const text = readIn(backup, MANIFEST_FILE);
  // The checksum covers everything before its own line.
  const [, content = '', expectedChecksum = ''] =
    /^(.*\n)"Manifest-Checksum": "([0-9a-f]{64})"\}\s*$/s.exec(text) ?? [];
  if (content === '' || createHash('sha256').update(content).digest('hex') !== expectedChecksum)
    throw damagedBackup(backup, `${MANIFEST_FILE} was changed`);
  const { Files: files } = JSON.parse(text) as { Files: ManifestFile[] };
  return files.map((file) => ({
    path: file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('utf8'),
    size: file.Size,
    checksum: file.Checksum ?? '',
  }));
}

function readIn(backup: Backup, name: string): string {
  try {
    return readFileSync(join(backup.directory, name), 'utf8');
  } catch (error) {
    throw damagedBackup(backup, `${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function damagedBackup({ directory }: Backup, what: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('backup_damaged', `the backup ${directory} is damaged: ${what}`);
}
