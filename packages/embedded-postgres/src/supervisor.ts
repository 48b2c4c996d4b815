import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { inspect, parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { limitLogSize } from './bounded-log.js';
import { prepareCluster } from './cluster.js';
import { embeddedHomeAt, prepareSocketDirectory, socketDirectoryOf, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { ensureDatabase } from './ensure-database.js';
import { leaseAddress } from './lease-messages.js';
import { LeaseServer } from './lease-server.js';
import type { ServerProcess } from './running-server.types.js';
import { replaceStaleServer, startServer, type ServerAddress } from './server-process.js';
import { latestLockOwner, acquireStartLock } from './start-lock.js';

/** Time that PostgreSQL continues after the last lease: long enough for the next command of a script. */
const IDLE_GRACE_MS = 1000;
/** Time for the starting process to connect and receive an early error. */
const FAILURE_NOTICE_MS = 3000;
const FIRST_START_ATTEMPTS = 3;
const FIRST_START_PAUSE_MS = 200;
const MAX_BACKOFF_MS = 10_000;
/** Interval of messages to waiting clients while a start takes long. */
const STILL_STARTING_MS = 30_000;
/** A server that ran this long counts as stable: its next crash is followed by an immediate restart. */
const STABLE_AFTER_MS = 30_000;

interface Program {
  readonly home: EmbeddedHome;
  readonly binaries: { readonly directory: string; readonly majorVersion: number };
  readonly address: ServerAddress;
  readonly leases: LeaseServer;
}

/**
 * Supervises the embedded PostgreSQL of one data directory, as a process. It starts the server, restarts it after a crash, and stops it
 * when no lease remains. It runs detached from the process that started it. If several are started, only the one with the start lock
 * continues.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', default: '' },
      name: { type: 'string', default: '' },
      temporary: { type: 'string', default: '' },
      binaries: { type: 'string', default: '' },
      'major-version': { type: 'string', default: '' },
    },
  });
  const home = embeddedHomeAt(values.root, values.name);
  const previous = latestLockOwner(home.run);
  const directory = prepareSocketDirectory(home, values.temporary, previous ? socketDirectoryOf(previous.address) : '');
  const lease = leaseAddress(home, directory);
  if (!acquireStartLock(home.run, lease)) return;

  const leases = new LeaseServer(IDLE_GRACE_MS);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leases.checkNow());
  await leases.listen(lease);
  limitLogSize(home.supervisorLog);
  limitLogSize(home.postgresLog);
  const binaries = { directory: values.binaries, majorVersion: Number(values['major-version']) };
  try {
    const address = process.platform === 'win32' ? await loopbackAddress() : { host: directory, port: 5432 };
    await supervise({ home, binaries, address, leases });
  } catch (error) {
    report('cannot start', error);
    leases.announce({ state: 'failed', ...describe(error) });
    await leases.waitForAck(FAILURE_NOTICE_MS);
  }
  await leases.close();
}

/** Runs PostgreSQL until it is not needed. Only a failed first start is an error; later starts are retried. */
async function supervise(program: Program): Promise<void> {
  const { leases, home, binaries, address } = program;
  await prepareCluster(home, binaries);
  const socketDirectory = process.platform === 'win32' ? null : address.host;
  const stale = await replaceStaleServer(home.cluster, binaries.directory, socketDirectory);
  if (stale !== null) report(`replaced the server ${stale} of a supervisor that has ended`);
  let server = await startFirst(program);
  let crashes = 0;
  for (;;) {
    leases.announce({ state: 'ready', ...address });
    const readyAt = Date.now();
    const crash = await Promise.race([server.exited, leases.untilIdle()]);
    leases.announce({ state: 'starting' });
    await server.stop();
    if (crash === undefined) {
      if (leases.isIdle) return;
      crashes = 0;
    } else {
      report(`PostgreSQL ended: ${crash}`);
      crashes = Date.now() - readyAt > STABLE_AFTER_MS ? 1 : crashes + 1;
    }
    const next = await restart(program, crashes);
    if (!next) return;
    server = next;
  }
}

/** Starts the first server. A failed start is repeated, because the server may have been killed. A server that cannot start fails again. */
async function startFirst(program: Program): Promise<ServerProcess> {
  const sign = setInterval(() => program.leases.announce({ state: 'starting' }), STILL_STARTING_MS);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await start(program);
      } catch (error) {
        if (attempt === FIRST_START_ATTEMPTS) throw error;
        report('cannot start, retrying', error);
        await delay(FIRST_START_PAUSE_MS);
      }
    }
  } finally {
    clearInterval(sign);
  }
}

async function restart(program: Program, crashes: number): Promise<ServerProcess | null> {
  for (let failures = crashes; ; failures += 1) {
    const backoffMs = failures < 2 ? 0 : Math.min(100 * 2 ** (failures - 2), MAX_BACKOFF_MS);
    const idle = await Promise.race([delay(backoffMs, false), program.leases.untilIdle().then(() => true)]);
    if (idle || !stillOwnsLock(program.home)) return null;
    try {
      return await start(program);
    } catch (error) {
      report('cannot restart', error);
    }
  }
}

/** The data directory may have been deleted, and another supervisor may have started there. */
function stillOwnsLock(home: EmbeddedHome): boolean {
  try {
    return latestLockOwner(home.run)?.pid === process.pid;
  } catch {
    return false;
  }
}

async function start({ home, binaries, address }: Program): Promise<ServerProcess> {
  // The driver is loaded while the server starts.
  const [server] = await Promise.all([startServer(home, binaries.directory, address), import('pg')]);
  try {
    await ensureDatabase(address, home.name, readPassword(home));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function readPassword(home: EmbeddedHome): string | undefined {
  return process.platform === 'win32' ? readFileSync(home.passwordFile, 'utf8') : undefined;
}

/** Returns a free loopback port, for Windows, where PostgreSQL and its clients share no kind of unix socket. */
async function loopbackAddress(): Promise<ServerAddress> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const bound = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return { host: '127.0.0.1', port: typeof bound === 'object' && bound ? bound.port : 0 };
}

function describe(error: unknown): Pick<EmbeddedPostgresError, 'code' | 'message'> {
  if (error instanceof EmbeddedPostgresError) return { code: error.code, message: error.message };
  return { code: 'start_failed', message: error instanceof Error ? error.message : String(error) };
}

/** Writes to `supervisor.log`, which is standard error. */
function report(what: string, error?: unknown): void {
  const detail = error === undefined ? '' : `: ${inspect(error)}`;
  process.stderr.write(`${new Date().toISOString()} [${process.pid}] ${what}${detail}\n`);
}

process.on('uncaughtException', (error) => {
  report('unexpected error', error);
  process.exit(1);
});
void main().then(() => process.exit(0));
