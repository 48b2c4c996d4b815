import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from './embedded-postgres.errors.js';
import { birthOf, commandLineOf } from './process-identity.js';

/** Content of the `postmaster.pid` that a running server writes into its data directory (PostgreSQL, `miscadmin.h`). */
export interface PostmasterFile {
  readonly pid: number;
  readonly ready: boolean;
}

const PID_LINE = 0;
const STATUS_LINE = 7;

/** Reads `postmaster.pid`; null when there is none or it is not complete. */
export function readPostmasterFile(cluster: string): PostmasterFile | null {
  const lines = readIfThere(join(cluster, 'postmaster.pid')).split('\n');
  const pid = Number.parseInt(lines[PID_LINE] ?? '', 10);
  return pid > 0 ? { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' } : null;
}

/**
 * Returns the pid of the PostgreSQL that runs on this data directory, or null. A `postmaster.pid` that a killed server left behind may
 * name a process that has nothing to do with it, or, in a copied directory, the server of the original.
 */
export function findRunningServer(cluster: string): number | null {
  const file = readPostmasterFile(cluster);
  if (!file || birthOf(file.pid) === null) return null;
  return isServerOf(commandLineOf(file.pid), cluster) ? file.pid : null;
}

/** Removes what a killed server left behind, which PostgreSQL itself would take for a running one after a pid's reuse. */
export function removeServerTraces(cluster: string, socketDirectory: string | null): void {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  if (socketDirectory === null) return;
  rmSync(join(socketDirectory, '.s.PGSQL.5432'), { force: true });
  rmSync(join(socketDirectory, '.s.PGSQL.5432.lock'), { force: true });
}

/**
 * Ends the backends of a server that was killed (Linux; elsewhere they end with their statement). A process is one when
 * it works in the data directory, as every process of that server does.
 */
export function killStrayBackends(cluster: string): void {
  if (process.platform !== 'linux') return;
  const directory = realpathSync(cluster);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !commandLineOf(Number(name)).startsWith('postgres:')) continue;
    try {
      if (readlinkSync(`/proc/${name}/cwd`) === directory) process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended by itself, or belongs to somebody else.
    }
  }
}

/** Does this command line belong to the server process of this data directory? */
function isServerOf(commandLine: string, cluster: string): boolean {
  return plainWords(commandLine).includes(plainWords(`-D ${cluster}`));
}

/** Strips quotes and case from words, and turns slashes: on Windows the words are quoted, and slashes and letters are of any kind. */
function plainWords(text: string): string {
  const words = ` ${text} `;
  return process.platform === 'win32' ? words.replaceAll('"', '').replaceAll('\\', '/').toLowerCase() : words;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
