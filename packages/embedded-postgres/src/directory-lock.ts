import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { chownLike } from './durable-files.js';
import { prepareSocketDirectory, socketDirectoryOf, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { LeaseConnection } from './lease-connection.js';
import { leaseAddress } from './lease-messages.js';
import { LeaseServer } from './lease-server.js';
import { findRunningServer } from './postmaster-file.js';
import { latestLockOwner, lockFileOf, releaseStartLock, acquireStartLock, untilReleased } from './start-lock.js';

const STOP_TIMEOUT_MS = 60_000;
/** Longer than the grace time of an idle server, because the check itself restarts that time. */
const POLL_MS = 3000;
/** Time for a supervisor to notice a closed lease. */
const NOTICE_MS = 500;

/**
 * Runs work with exclusive access to an unused directory. Other processes that request the server get an error with the reason. The lock
 * ends with the process. A server whose last lease has just ended is waited for.
 *
 * @param why reason for the error message of other processes.
 * @throws EmbeddedPostgresError `directory_in_use`
 */
export async function withDirectoryLock<T>(home: EmbeddedHome, why: string, work: () => Promise<T>): Promise<T> {
  const previous = latestLockOwner(home.run);
  const sockets = prepareSocketDirectory(home, tmpdir(), previous ? socketDirectoryOf(previous.address) : '');
  const address = leaseAddress(home, sockets);
  if (!(await acquireWhenFree(home, address))) throw inUse(home);
  chownLike(lockFileOf(home.run), home.run);
  const leases = new LeaseServer(0);
  try {
    if (findRunningServer(home.cluster) !== null) throw inUse(home);
    await leases.listen(address);
    leases.announce({ state: 'failed', code: 'directory_in_use', message: `${home.root} cannot be used now: ${why}` });
    return await work();
  } finally {
    await leases.close();
    releaseStartLock(home.run);
  }
}

async function acquireWhenFree(home: EmbeddedHome, address: string): Promise<boolean> {
  let timesUsed = 0;
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline;) {
    if (acquireStartLock(home.run, address)) return true;
    const owner = latestLockOwner(home.run);
    const lease = owner && (await LeaseConnection.open(owner.address));
    // A supervisor that runs without listening is starting or stopping. One that does not answer in time gives no information.
    const isFree = lease === null || (await Promise.race([lease.isOnlyOne(), delay(POLL_MS, null)]));
    lease?.close();
    if (isFree === false) {
      // A lease that has just ended may still be counted.
      timesUsed += 1;
      if (timesUsed === 2) return false;
      await delay(NOTICE_MS);
    } else await untilReleased(home.run, POLL_MS);
  }
  return false;
}

function inUse(home: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError('directory_in_use', `the embedded PostgreSQL in ${home.root} is being used`);
}
