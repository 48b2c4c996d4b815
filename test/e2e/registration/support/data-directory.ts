import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Creates a data directory for one test. Remove it with {@link removeDataDirectories}. */
export function dataDirectory(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'lintel-plugins-'));
  directories.push(path);
  writeFiles(path, files);
  return path;
}

export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

export function removeDataDirectories(): void {
  for (const path of directories.splice(0)) rmSync(path, { recursive: true, force: true });
}

const directories: string[] = [];
