import { chownSync, closeSync, fsyncSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes and syncs a file that only its owner can read. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file atomically: readers find the old or the new content, also after a crash. */
export function replaceDurably(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeDurably(draft, text);
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

/** Syncs a directory: created, renamed and deleted entries. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Gives a path the owner of another one, if root created it for PostgreSQL, which runs as another user. */
export function chownLike(path: string, model: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(model);
  chownSync(path, uid, gid);
}
