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
 * The right to use the embedded PostgreSQL. It runs while somebody holds one, and is restarted when it crashes; clients
 * connect again then. The address stays the same for as long as its directory does.
 */
export interface EmbeddedPostgresLease {
  /** as libpq and the driver `pg` read it: its host is the directory of a unix socket, or, on Windows, loopback */
  readonly url: string;
  /** Gives the lease back; close the connections to the database before. */
  release(): Promise<void>;
  /** Gives it back, and waits until the server has stopped, unless others hold leases. */
  end(): Promise<void>;
}

/** Options of a lease. */
export interface EmbeddedPostgresOptions {
  /** in which everything lies, and nothing else; made where it is missing */
  readonly directory: string;
  /** the application: what its role, its database and its marks in the directory are called */
  readonly name: string;
  /** the compiled `supervisor.js`, where it does not stand beside this module */
  readonly supervisor?: string;
  /**
   * the directory of backups in which the server is to archive its log, from its next start at the latest; null for none. What
   * the last one who gave this said holds unless given
   */
  readonly archive?: string | null;
  /** Hears when PostgreSQL was lost and is back, and when the lease had to be renewed. */
  readonly log?: (message: string, detail?: object) => void;
}

/** A name that PostgreSQL takes without quotes, short enough for the path of a socket. */
const NAME = /^[a-z][a-z0-9_]{0,15}$/;

type Log = NonNullable<EmbeddedPostgresOptions['log']>;

const POLL_MS = 10;
/** for a supervisor to come up and listen, not for PostgreSQL to start */
const SUPERVISOR_TIMEOUT_MS = 30_000;
/** for PostgreSQL to stop when this process's end would kill it; others may still hold leases */
const STOP_TIMEOUT_MS = 5000;
/** for PostgreSQL to stop when nobody else holds a lease */
const END_TIMEOUT_MS = 60_000;
const MAX_RENEWAL_PAUSE_MS = 5000;

/**
 * Joins the embedded PostgreSQL of a directory, or starts it; several processes may do so at once. The lease ends
 * with the process, however it ends, and does not keep it from ending.
 *
 * @throws EmbeddedPostgresError
 * @throws TypeError if the name is none
 */
export async function acquireEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgresLease> {
  const { directory, name, supervisor, archive, log = () => undefined } = options;
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of an application: ${NAME.source}`);
  const home = createHome(directory, name);
  const start = (): Promise<ReadyConnection> => joinOrStart(home, supervisor);
  const ready = await start();
  if (archive === undefined) return new RenewingLease(home, log, start, ready);
  return new RenewingLease(home, log, start, await withArchive(home, archive, ready, { start, log }));
}

/** Sets the archive of the log up, for which the server has to be started again where it had none. */
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
      log('others use the embedded PostgreSQL: its log is archived from its next start on');
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

/** A lease that gets itself a new supervisor when the one it had was killed. */
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
    // The end of a container's first process kills all others: PostgreSQL is to stop in order before.
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
          isReady ? 'the embedded PostgreSQL is back' : 'the embedded PostgreSQL was lost, it is being restarted',
        );
      }
    });
  }

  private async renew(): Promise<void> {
    this.log('the supervisor of the embedded PostgreSQL was lost, the lease is being renewed');
    for (let pauseMs = POLL_MS; !this.isReleased; pauseMs = Math.min(pauseMs * 2, MAX_RENEWAL_PAUSE_MS)) {
      try {
        this.current = await this.start();
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
    // One that runs but does not listen is on its way up or down.
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

/** Returns whether a server ended by itself with an error; one that was killed is started again. */
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
