import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from './binaries.js';
import { sizeOf, tailOf } from './bounded-log.js';
import type { EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { readPostmasterFile } from './postmaster-file.js';
import type { ServerProcess } from './running-server.types.js';

const POLL_MS = 200;

/**
 * Starts PostgreSQL through `pg_ctl`, and waits until it accepts connections. `pg_ctl` drops administrator rights, with which the server
 * does not start.
 *
 * @throws EmbeddedPostgresError `start_failed`
 */
export async function startServerOnWindows(
  home: EmbeddedHome,
  binaries: string,
  serverOptions: string[],
): Promise<ServerProcess> {
  const logStart = sizeOf(home.postgresLog);
  const options = serverOptions.map((option) => `"${option}"`).join(' ');
  await runControl(binaries, ['start', '-w', '-t', '120', '-D', home.cluster, '-l', home.postgresLog, '-o', options]);
  const file = readPostmasterFile(home.cluster);
  if (!file?.ready) {
    const logTail = tailOf(home.postgresLog, logStart).trim();
    throw new EmbeddedPostgresError('start_failed', `PostgreSQL did not start on ${home.cluster}: ${logTail}`);
  }
  const stop = (): Promise<void> => stopOnWindows(home.cluster, binaries);
  return { pid: file.pid, exited: waitForEnd(file.pid), stop };
}

export async function stopOnWindows(cluster: string, binaries: string): Promise<void> {
  await runControl(binaries, ['stop', '-w', '-m', 'fast', '-D', cluster]);
}

function runControl(binaries: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(programPath(binaries, 'pg_ctl'), args, { env: {}, stdio: 'ignore', windowsHide: true });
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}

async function waitForEnd(pid: number): Promise<string> {
  while (isAlive(pid)) await delay(POLL_MS);
  return 'it ended';
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
