import { chownSync, closeSync, fsyncSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file that is on the disk when this returns, readable by its owner alone. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file in one step: a reader finds the old or the new one, and so does one after a crash. */
export function replaceDurably(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeDurably(draft, text);
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

/** Has what was created, renamed and removed in a directory on the disk. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Gives a path to the owner of another one, where root made it for PostgreSQL, which runs as somebody else. */
export function giveToOwnerOf(path: string, model: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(model);
  chownSync(path, uid, gid);
}
