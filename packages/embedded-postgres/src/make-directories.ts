import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and those above it that are missing. The recursive form of Node.js never ends below a virtual file system
 * such as `/proc`, where a directory cannot be created in one that exists.
 *
 * @param mode of directories that are created.
 * @returns the first directory that was created, or undefined if there was nothing to do.
 */
export function makeDirectories(path: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  const made = missing.filter((directory) => makeOne(directory, mode));
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is no directory`), { code: 'EEXIST' });
  return made[0];
}

function makeOne(directory: string, mode: number | undefined): boolean {
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
