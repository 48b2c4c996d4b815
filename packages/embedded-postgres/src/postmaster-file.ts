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

/** Reads `postmaster.pid`; null if it is missing or incomplete. */
export function readPostmasterFile(cluster: string): PostmasterFile | null {
  const lines = readIfExists(join(cluster, 'postmaster.pid')).split('\n');
  const pid = Number.parseInt(lines[PID_LINE] ?? '', 10);
  return pid > 0 ? { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' } : null;
}

/** Returns the pid of the PostgreSQL on this data directory, or null. The file may have a stale pid, or be copied with the directory. */
export function findRunningServer(cluster: string): number | null {
  const file = readPostmasterFile(cluster);
  if (!file || birthOf(file.pid) === null) return null;
  return isServerOf(commandLineOf(file.pid), cluster) ? file.pid : null;
}

/** Deletes the files of a killed server. If its pid is reused, PostgreSQL would take them for those of a running server. */
export function removeServerTraces(cluster: string, socketDirectory: string | null): void {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  if (socketDirectory === null) return;
  rmSync(join(socketDirectory, '.s.PGSQL.5432'), { force: true });
  rmSync(join(socketDirectory, '.s.PGSQL.5432.lock'), { force: true });
}

/** Kills the remaining backends of a killed server (Linux only). Their working directory is the data directory. */
export function killStrayBackends(cluster: string): void {
  if (process.platform !== 'linux') return;
  const directory = realpathSync(cluster);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !commandLineOf(Number(name)).startsWith('postgres:')) continue;
    try {
      if (readlinkSync(`/proc/${name}/cwd`) === directory) process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

function isServerOf(commandLine: string, cluster: string): boolean {
  return plainText(commandLine).includes(plainText(`-D ${cluster}`));
}

/** Normalizes quotes, case and slashes, which vary on Windows. */
function plainText(text: string): string {
  const paddedText = ` ${text} `;
  return process.platform === 'win32' ? paddedText.replaceAll('"', '').replaceAll('\\', '/').toLowerCase() : paddedText;
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
