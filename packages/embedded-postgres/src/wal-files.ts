import { createReadStream, createWriteStream, statSync, utimesSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { entriesOf, walDirectoryOf } from './backup-store.js';

export interface WalFile {
  readonly name: string;
  readonly path: string;
  readonly packed: boolean;
  /** Time in milliseconds before which its contents were committed. */
  readonly archivedAt: number;
}

/** `<timeline><number>`. Compressed files also contain the time of archiving, because copies of an archive lose file times. */
const PLAIN = /^[0-9A-F]{24}$/;
const PACKED = /^([0-9A-F]{24})\.(\d+)\.gz$/;
/** Archived files are not compressed for this time, because the server may archive them again after a crash. */
const SETTLED_MS = 60_000;

/** Returns the name of the file with a WAL position (PostgreSQL, `xlog_internal.h`). */
export function walFileName(timeline: number, position: string, walBytes: number): string {
  const [high = '0', low = '0'] = position.split('/');
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(timeline) + hex(Number.parseInt(high, 16)) + hex(Math.floor(Number.parseInt(low, 16) / walBytes));
}

export function nextWalFile(name: string, walBytes: number): string {
  const perNumber = 2 ** 32 / walBytes;
  const at = Number.parseInt(name.slice(8, 16), 16) * perNumber + Number.parseInt(name.slice(16), 16) + 1;
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
  return name.slice(0, 8) + hex(Math.floor(at / perNumber)) + hex(at % perNumber);
}

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
 * Compresses older archived files, because each has the full size even if it has little content. A killed process leaves the original file.
 *
 * @returns the number of compressed files.
 */
export async function packArchive(backups: string, incarnation: string, now = Date.now()): Promise<number> {
  const directory = walDirectoryOf(backups, incarnation);
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
