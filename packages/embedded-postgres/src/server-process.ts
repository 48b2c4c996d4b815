import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from './binaries.js';
import { sizeOf, tailOf } from './bounded-log.js';
import type { EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { findRunningServer, killStrayBackends, readPostmasterFile, removeServerTraces } from './postmaster-file.js';
import type { ServerProcess } from './running-server.types.js';
import { birthOf } from './process-identity.js';
import { startServerOnWindows, stopOnWindows } from './windows-server.js';

/** Address of a server: the directory of its unix socket, or a loopback address on Windows. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const POLL_MS = 10;
const READY_TIMEOUT_MS = 120_000;
const STALE_TIMEOUT_MS = 20_000;
const FAST_SHUTDOWN_TIMEOUT_MS = 20_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Starts PostgreSQL on a complete cluster, and waits until it accepts connections.
 *
 * @throws EmbeddedPostgresError `start_failed` with the last lines of its log
 */
export async function startServer(
  home: EmbeddedHome,
  binaries: string,
  address: ServerAddress,
): Promise<ServerProcess> {
  if (process.platform === 'win32') return startServerOnWindows(home, binaries, serverOptions(address));
  const deadline = Date.now() + STALE_TIMEOUT_MS;
  for (;;) {
    const logStart = sizeOf(home.postgresLog);
    const server = spawnServer(home, binaries, address);
    if (await becomesReady(home.cluster, server)) return server;
    await server.stop();
    const log = tailOf(home.postgresLog, logStart);
    // Backends of a killed server keep its shared memory until their statement ends.
    if (!log.includes('pre-existing shared memory block') || Date.now() > deadline) {
      throw startFailed(home, log || (await server.exited));
    }
    killStrayBackends(home.cluster);
    await delay(20 * POLL_MS);
  }
}

/** Stops a PostgreSQL of an earlier supervisor on this cluster, and deletes the files of a killed one. */
export async function replaceStaleServer(
  cluster: string,
  binaries: string,
  socketDirectory: string | null,
): Promise<number | null> {
  const pid = findRunningServer(cluster);
  if (pid !== null) await (process.platform === 'win32' ? stopOnWindows(cluster, binaries) : stopByPid(pid));
  removeServerTraces(cluster, socketDirectory);
  return pid;
}

function spawnServer(home: EmbeddedHome, binaries: string, address: ServerAddress): ServerProcess {
  const log = openSync(home.postgresLog, 'a', 0o600);
  const child = spawn(programPath(binaries, 'postgres'), ['-D', home.cluster, ...serverOptions(address)], {
    cwd: home.root,
    env: { LC_ALL: 'C' },
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  closeSync(log);
  const pid = child.pid ?? 0;
  const exited = exitOf(child);
  const guard = pid > 0 ? spawnGuard(home.cluster, pid) : null;
  void exited.then(() => guard?.kill('SIGKILL'));
  return { pid, exited, stop: () => stopChild(child, exited) };
}

/** Required settings. They override the files in the data directory. */
function serverOptions(address: ServerAddress): string[] {
  const overTcp = process.platform === 'win32';
  const settings = {
    listen_addresses: overTcp ? address.host : '',
    unix_socket_directories: overTcp ? '' : address.host,
    unix_socket_permissions: '0700',
    port: String(address.port),
    // The log is one file of limited size, without values of rows.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Starts a shell that stops the server when this process ends, even if it is killed. The pipe to the shell closes with the process. */
function spawnGuard(cluster: string, pid: number): ChildProcess | null {
  if (process.platform === 'win32') return null;
  const script = 'read -r _; read -r pid < "$1/postmaster.pid" && [ "$pid" = "$2" ] && kill -INT "$2"';
  const guard = spawn('/bin/sh', ['-c', script, 'embedded-postgres-guard', cluster, String(pid)], {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  return guard;
}

async function becomesReady(cluster: string, server: ServerProcess): Promise<boolean> {
  let gone = false;
  void server.exited.then(() => (gone = true));
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!gone && (Date.now() < deadline || isRecovering(cluster))) {
    const file = readPostmasterFile(cluster);
    if (file?.pid === server.pid && file.ready) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** Returns whether the server still replays its WAL. That can take long, but it ends, or PostgreSQL exits. */
function isRecovering(cluster: string): boolean {
  return ['recovery.signal', 'standby.signal'].some((name) => existsSync(join(cluster, name)));
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
}

/** Stops a server by a fast shutdown (SIGINT), then immediate (SIGQUIT), then SIGKILL. The WAL survives all of them. */
async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  for (const [signal, timeoutMs] of shutdownSteps()) {
    if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
    child.kill(signal);
    await Promise.race([exited, delay(timeoutMs, undefined, { ref: false })]);
  }
  await exited;
}

async function stopByPid(pid: number): Promise<void> {
  const birth = birthOf(pid);
  for (const [signal, timeoutMs] of shutdownSteps()) {
    if (birth === null || birthOf(pid) !== birth) return;
    process.kill(pid, signal);
    const deadline = Date.now() + timeoutMs;
    while (birthOf(pid) === birth && Date.now() < deadline) await delay(POLL_MS);
  }
}

function shutdownSteps(): [NodeJS.Signals, number][] {
  return [
    ['SIGINT', FAST_SHUTDOWN_TIMEOUT_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
    ['SIGKILL', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
  ];
}

function startFailed(home: EmbeddedHome, log: string): EmbeddedPostgresError {
  const logTail = log.trim().split('\n').slice(-5).join('\n');
  return new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL did not start on ${home.cluster} (log: ${home.postgresLog}): ${logTail}`,
  );
}
