import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its missing parents, and returns the first created one. The recursive mode of Node.js loops forever below virtual
 * file systems such as `/proc`, where no directory can be created.
 */
export function createDirectories(path: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  const created = missing.filter((directory) => createOne(directory, mode));
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'EEXIST' });
  return created[0];
}

function createOne(directory: string, mode: number | undefined): boolean {
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
