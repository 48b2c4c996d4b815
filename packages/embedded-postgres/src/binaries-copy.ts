import { createHash } from 'node:crypto';
import { chmodSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from './embedded-postgres.errors.js';

/** Copies the binaries of a package, without static libraries. Several processes may do it at the same time. */
export function copyBinaries(packageRoot: string, copy: string, complete?: (root: string) => void): void {
  if (lstatSync(copy, { throwIfNoEntry: false })) return;
  const draft = `${copy}.${process.pid}`;
  try {
    const filter = (path: string): boolean => !path.endsWith('.a');
    cpSync(join(packageRoot, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true, filter });
    complete?.(draft);
    openToAll(draft);
    renameSync(draft, copy);
  } catch (error) {
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Copies the binaries to a place that every user can read, as root, under the temporary directory. PostgreSQL checks its own files with
 * access(2), which ignores capabilities that bypass directory permissions.
 */
export function copyForEverybody(programs: string, temporary: string): string {
  const packageRoot = dirname(dirname(programs));
  const { ino, mtimeMs } = lstatSync(programs);
  const name = createHash('sha256').update(`${programs} ${ino} ${mtimeMs}`).digest('hex').slice(0, 16);
  let shelf = join(temporary, `embedded-postgres-binaries-${name}`);
  try {
    mkdirSync(shelf);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const stat = lstatSync(shelf);
  // Programs are executed from there, so no other user may own it.
  if (!stat.isDirectory() || stat.uid !== process.geteuid?.()) shelf = mkdtempSync(`${shelf}-`);
  chmodSync(shelf, 0o755);
  copyBinaries(packageRoot, join(shelf, 'postgres'));
  return join(shelf, 'postgres', 'native', 'bin');
}

function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, (lstatSync(path).mode & 0o755) | 0o444);
  }
}
