import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tailOf } from './bounded-log.js';
import { createHome, notAccessible, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { launchSupervisor } from './launch-supervisor.js';
import { LeaseConnection } from './lease-connection.js';
import { isRunning } from './process-identity.js';
import { latestLockOwner, untilReleased } from './start-lock.js';
import { configureArchive, isArchiving } from './wal-archive.js';

/**
 * The right to use the embedded PostgreSQL. The server runs while any lease exists, and is restarted after a crash, so clients must
 * reconnect. The URL does not change while the directory stays the same.
 */
export interface EmbeddedPostgresLease {
  /** For libpq and the driver `pg`. The host is the directory of a unix socket, or loopback on Windows. */
  readonly url: string;
  /** Releases the lease. Close the connections to the database before. */
  release(): Promise<void>;
  /** Releases the lease, and waits until the server has stopped, unless other leases exist. */
  end(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Dedicated directory of the server, created if necessary. */
  readonly directory: string;
  /** Name of the application, used for its role, its database and its marker files. */
  readonly name: string;
  /** Path of the compiled `supervisor.js`, if it is not next to this module. */
  readonly supervisor?: string;
  /** Directory of backups for archived WAL, used from the next start at the latest; null for none. Default: the last setting. */
  readonly archive?: string | null;
  /** Called when the connection to PostgreSQL is lost or restored, and when the lease was renewed. */
  readonly log?: (message: string, detail?: object) => void;
}

/** A name that PostgreSQL accepts without quotes, short enough for the path of a socket. */
const NAME = /^[a-z][a-z0-9_]{0,15}$/;

type Log = NonNullable<EmbeddedPostgresOptions['log']>;

const POLL_MS = 10;
/** Time for a supervisor to start and listen, without the start of PostgreSQL. */
const SUPERVISOR_TIMEOUT_MS = 30_000;
/** Time for PostgreSQL to stop if the end of this process would kill it. Other leases may still exist. */
const STOP_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 60_000;
const MAX_RENEWAL_PAUSE_MS = 5000;

/**
 * Joins the embedded PostgreSQL of a directory, or starts it. Several processes may do so at the same time. The lease ends with the
 * process, even after a crash, and does not keep the process alive.
 *
 * @throws EmbeddedPostgresError
 * @throws TypeError if the name is invalid
 */
export async function acquireEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgresLease> {
  const { directory, name, supervisor, archive, log = () => undefined } = options;
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not an application name: ${NAME.source}`);
  const home = createHome(directory, name);
  const start = (): Promise<ReadyConnection> => joinOrStart(home, supervisor);
  const ready = await start();
  if (archive === undefined) return new RenewingLease(home, log, start, ready);
  return new RenewingLease(home, log, start, await withArchive(home, archive, ready, { start, log }));
}

/** Configures the WAL archive. The server must be restarted if archiving was off. */
async function withArchive(
  home: EmbeddedHome,
  archive: string | null,
  ready: ReadyConnection,
  { start, log }: { readonly start: () => Promise<ReadyConnection>; readonly log: Log },
): Promise<ReadyConnection> {
  let current = ready;
  try {
    if (!(await configureArchive(home, urlOf(home, current), archive))) return current;
    current.connection.close();
    await untilReleased(home.run, STOP_TIMEOUT_MS);
    current = await start();
    if (archive !== null && !(await isArchiving(urlOf(home, current))))
      log('other processes use the embedded PostgreSQL: archiving of its log begins at its next start');
    return current;
  } catch (error) {
    current.connection.close();
    throw error;
  }
}

interface ReadyConnection {
  readonly connection: LeaseConnection;
  readonly host: string;
  readonly port: number;
}

/** A lease that starts a new supervisor if the current one was killed. */
class RenewingLease implements EmbeddedPostgresLease {
  private isReleased = false;

  constructor(
    private readonly home: EmbeddedHome,
    private readonly log: Log,
    private readonly start: () => Promise<ReadyConnection>,
    private current: ReadyConnection,
  ) {
    this.watch();
  }

  get url(): string {
    return urlOf(this.home, this.current);
  }

  async release(): Promise<void> {
    this.isReleased = true;
    this.current.connection.close();
    // The end of a container's first process kills all others, so PostgreSQL must stop before.
    if (process.pid === 1) await untilReleased(this.home.run, STOP_TIMEOUT_MS);
  }

  async end(): Promise<void> {
    await this.release();
    await untilReleased(this.home.run, END_TIMEOUT_MS);
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
          isReady
            ? 'the embedded PostgreSQL is available again'
            : 'the connection to the embedded PostgreSQL was lost, it is being restarted',
        );
      }
    });
  }

  private async renew(): Promise<void> {
    this.log('the connection to the supervisor of the embedded PostgreSQL was lost, the lease is being renewed');
    for (let pauseMs = POLL_MS; !this.isReleased; pauseMs = Math.min(pauseMs * 2, MAX_RENEWAL_PAUSE_MS)) {
      try {
        this.current = await this.start();
        if (this.isReleased) return this.current.connection.close();
        this.log('the embedded PostgreSQL is available again, the lease was renewed');
        return this.watch();
      } catch (error) {
        this.log('the embedded PostgreSQL cannot be started', { error });
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }
}

async function joinOrStart(home: EmbeddedHome, supervisor?: string): Promise<ReadyConnection> {
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
    // A supervisor that runs without listening is starting or stopping.
    if (!(owner && isRunning(owner)) && !isAlive(launched)) launched = launchSupervisor(home, { supervisor });
    await delay(POLL_MS);
  }
  throw supervisorFailed(home, launched);
}

function urlOf({ name, passwordFile }: EmbeddedHome, { host, port }: ReadyConnection): string {
  const password = process.platform === 'win32' ? `:${readFileSync(passwordFile, 'utf8')}` : '';
  return `postgres://${name}${password}@${encodeURIComponent(host)}:${port}/${name}`;
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

/** Returns whether the process exited with an error. A killed one is started again. */
function hasFailed(child: ChildProcess | null): boolean {
  return typeof child?.exitCode === 'number' && child.exitCode !== 0;
}

function supervisorFailed(home: EmbeddedHome, child: ChildProcess | null): EmbeddedPostgresError {
  const outcome = child && !isAlive(child) ? `ended with code ${child.exitCode}` : 'does not answer';
  const logTail = tailOf(home.supervisorLog, 0, 600).trim();
  return new EmbeddedPostgresError(
    'start_failed',
    `the supervisor of the embedded PostgreSQL ${outcome} (log: ${home.supervisorLog}): ${logTail}`,
  );
}
