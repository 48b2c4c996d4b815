import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tailOf } from './bounded-log.js';
import { createHome, notAccessible, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { launchSupervisor } from './launch-supervisor.js';
import { LeaseConnection } from './lease-connection.js';
import { PRODUCT_NAME } from './lease-messages.js';
import { isRunning } from './process-identity.js';
import { latestLockOwner } from './start-lock.js';

export { EmbeddedPostgresError } from './embedded-postgres.errors.js';

/**
 * The right to use the embedded PostgreSQL. It runs while somebody holds one, and is restarted when it crashes; clients
 * connect again then. The address stays the same for as long as its directory does.
 */
export interface EmbeddedPostgresLease {
  /** the directory of the unix socket, or, on Windows, `127.0.0.1` */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** only where it listens on TCP (Windows) */
  readonly password?: string;
  /** Gives the lease back; close the connections to the database before. */
  release(): Promise<void>;
}

/** How to acquire a lease. */
export interface EmbeddedPostgresOptions {
  /** `$DATA_DIR`; the database lies in `postgres` below it */
  readonly dataDir: string;
  /** hears when PostgreSQL was lost and is back, and when the lease had to be renewed */
  readonly log?: (message: string, detail?: object) => void;
}

type Log = NonNullable<EmbeddedPostgresOptions['log']>;

const POLL_MS = 10;
/** for a supervisor to come up and listen, not for PostgreSQL to start */
const SUPERVISOR_TIMEOUT_MS = 30_000;
/** for PostgreSQL to stop when this process's end would kill it; others may still hold leases */
const STOP_TIMEOUT_MS = 5000;
const MAX_RENEWAL_PAUSE_MS = 5000;

/**
 * Joins the embedded PostgreSQL of a data directory, or starts it; several processes may do so at once. The lease ends
 * with the process, however it ends, and does not keep it from ending.
 *
 * @throws EmbeddedPostgresError
 */
export async function acquireEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgresLease> {
  const home = createHome(options.dataDir);
  return new RenewingLease(home, options.log ?? (() => undefined), await joinOrStart(home));
}

interface ReadyConnection {
  readonly connection: LeaseConnection;
  readonly host: string;
  readonly port: number;
}

/** A lease that gets itself a new supervisor when the one it had was killed. */
class RenewingLease implements EmbeddedPostgresLease {
  readonly user = PRODUCT_NAME;
  readonly database = PRODUCT_NAME;
  readonly password?: string;
  host: string;
  port: number;
  private isReleased = false;

  constructor(
    private readonly home: EmbeddedHome,
    private readonly log: Log,
    private current: ReadyConnection,
  ) {
    ({ host: this.host, port: this.port } = current);
    if (process.platform === 'win32') this.password = readFileSync(home.passwordFile, 'utf8');
    this.watch();
  }

  async release(): Promise<void> {
    this.isReleased = true;
    this.current.connection.close();
    // The end of a container's first process kills all others: PostgreSQL is to stop in order before.
    if (process.pid === 1) await untilStopped(this.home);
  }

  private watch(): void {
    let isReady = true;
    this.current.connection.unref();
    this.current.connection.listen((message) => {
      if (message === null) {
        void this.renew();
      } else if (isReady !== (message.state === 'ready')) {
        isReady = !isReady;
        this.log(
          isReady ? 'the embedded PostgreSQL is back' : 'the embedded PostgreSQL was lost, it is being restarted',
        );
      }
    });
  }

  private async renew(): Promise<void> {
    this.log('the supervisor of the embedded PostgreSQL was lost, the lease is being renewed');
    for (let pauseMs = POLL_MS; !this.isReleased; pauseMs = Math.min(pauseMs * 2, MAX_RENEWAL_PAUSE_MS)) {
      try {
        this.current = await joinOrStart(this.home);
        ({ host: this.host, port: this.port } = this.current);
        if (this.isReleased) return this.current.connection.close();
        this.log('the embedded PostgreSQL is back, the lease was renewed');
        return this.watch();
      } catch (error) {
        this.log('the embedded PostgreSQL cannot be started', { error });
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }
}

/** Connects to the supervisor that runs, or to one that is started for it, until PostgreSQL is ready. */
async function joinOrStart(home: EmbeddedHome): Promise<ReadyConnection> {
  let launched: ChildProcess | null = null;
  let deadline = Date.now() + SUPERVISOR_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const owner = latestLockOwner(home.run);
    const connection = owner && (await openLease(home, owner.address));
    if (connection) {
      const ready = await connection.ready();
      if (ready) return { connection, host: ready.host, port: ready.port };
      deadline = Date.now() + SUPERVISOR_TIMEOUT_MS;
    }
    if (hasFailed(launched)) throw supervisorFailed(home, launched);
    // One that runs but does not listen is on its way up or down.
    if (!(owner && isRunning(owner)) && !isAlive(launched)) launched = launchSupervisor(home);
    await delay(POLL_MS);
  }
  throw supervisorFailed(home, launched);
}

async function untilStopped(home: EmbeddedHome): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  const owner = latestLockOwner(home.run);
  while (owner && isRunning(owner) && Date.now() < deadline) await delay(POLL_MS);
}

async function openLease(home: EmbeddedHome, address: string): Promise<LeaseConnection | null> {
  try {
    return await LeaseConnection.open(address);
  } catch (error) {
    throw notAccessible(home.root, error);
  }
}

function isAlive(child: ChildProcess | null): boolean {
  return child !== null && child.exitCode === null && child.signalCode === null;
}

/** Ended by itself with an error; one that was killed is started again. */
function hasFailed(child: ChildProcess | null): boolean {
  return typeof child?.exitCode === 'number' && child.exitCode !== 0;
}

function supervisorFailed(home: EmbeddedHome, child: ChildProcess | null): EmbeddedPostgresError {
  const outcome = child && !isAlive(child) ? `ended with code ${child.exitCode}` : 'does not answer';
  const words = tailOf(home.supervisorLog, 0, 600).trim();
  return new EmbeddedPostgresError(
    'start_failed',
    `the supervisor of the embedded PostgreSQL ${outcome} (log: ${home.supervisorLog}): ${words}`,
  );
}
