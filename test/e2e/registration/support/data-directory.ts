import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns a data directory of its own for one test. Remove it by {@link removeDataDirectories}. */
export function dataDirectory(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'lintel-plugins-'));
  directories.push(path);
  writeFiles(path, files);
  return path;
}

/** Writes files by their paths below a directory. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** Removes what the tests of this file made. */
export function removeDataDirectories(): void {
  for (const path of directories.splice(0)) rmSync(path, { recursive: true, force: true });
}

const directories: string[] = [];
