import { createReadStream, createWriteStream, statSync, utimesSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { entriesOf, walDirectoryOf } from './backup-store.js';

/** A file of the write-ahead log in an archive, or in a cluster. */
export interface WalFile {
  readonly name: string;
  readonly path: string;
  readonly packed: boolean;
  /** Moment before which its contents were committed, in milliseconds. */
  readonly archivedAt: number;
}

/** `<timeline><number>`, and, packed, the moment at which it was archived: copies of an archive lose the times of files. */
const PLAIN = /^[0-9A-F]{24}$/;
const PACKED = /^([0-9A-F]{24})\.(\d+)\.gz$/;
/** Time for which what was archived is left as it is: the server may have to archive it again after a crash. */
const SETTLED_MS = 60_000;

/** Returns the name of the file that holds a position of the log (PostgreSQL, `xlog_internal.h`). */
export function walFileName(timeline: number, position: string, walBytes: number): string {
  const [high = '0', low = '0'] = position.split('/');
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(timeline) + hex(Number.parseInt(high, 16)) + hex(Math.floor(Number.parseInt(low, 16) / walBytes));
}

/** Returns the name of the file after this one, on the same timeline. */
export function nextWalFile(name: string, walBytes: number): string {
  const perNumber = 2 ** 32 / walBytes;
  const at = Number.parseInt(name.slice(8, 16), 16) * perNumber + Number.parseInt(name.slice(16), 16) + 1;
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
  return name.slice(0, 8) + hex(Math.floor(at / perNumber)) + hex(at % perNumber);
}

/** Returns the files of the log in a directory, by their names. */
export function walFilesIn(directory: string): Map<string, WalFile> {
  const files = new Map<string, WalFile>();
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry);
    const [, name, archivedAt] = PACKED.exec(entry) ?? [];
    if (name !== undefined && !files.has(name))
      files.set(name, { name, path, packed: true, archivedAt: Number(archivedAt) });
    if (!PLAIN.test(entry)) continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat) files.set(entry, { name: entry, path, packed: false, archivedAt: stat.mtimeMs });
  }
  return files;
}

/**
 * Packs what was archived a while ago: a file has its full size also where the server had little to say. Killed at any moment it
 * leaves the file as it was.
 *
 * @param backups the directory of all backups.
 * @returns how many were packed.
 */
export async function packArchive(backups: string, life: string, now = Date.now()): Promise<number> {
  const directory = walDirectoryOf(backups, life);
  const settled = [...walFilesIn(directory).values()].filter(
    ({ packed, archivedAt }) => !packed && archivedAt < now - SETTLED_MS,
  );
  for (const { name, path, archivedAt } of settled) {
    const target = join(directory, `${name}.${Math.round(archivedAt)}.gz`);
    await pipeline(
      createReadStream(path),
      createGzip({ level: 1 }),
      createWriteStream(`${target}.draft`, { mode: 0o600 }),
    );
    await syncFile(`${target}.draft`);
    await rename(`${target}.draft`, target);
    await rm(path, { force: true });
  }
  return settled.length;
}

/** Puts a file of the log where a server finds it. */
export async function placeWalFile({ name, path, packed, archivedAt }: WalFile, directory: string): Promise<void> {
  const target = join(directory, name);
  if (packed) await pipeline(createReadStream(path), createGunzip(), createWriteStream(target, { mode: 0o600 }));
  else await copyFile(path, target);
  utimesSync(target, archivedAt / 1000, archivedAt / 1000);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
