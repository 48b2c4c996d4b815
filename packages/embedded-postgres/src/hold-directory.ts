import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { giveToOwnerOf } from './durable-files.js';
import { prepareSocketDirectory, socketDirectoryOf, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { LeaseConnection } from './lease-connection.js';
import { leaseAddress } from './lease-messages.js';
import { LeaseServer } from './lease-server.js';
import { findRunningServer } from './postmaster-file.js';
import { latestLockOwner, lockFileOf, releaseStartLock, takeStartLock, untilReleased } from './start-lock.js';

/** for a server that nobody uses any more to stop */
const STOP_TIMEOUT_MS = 60_000;
/** longer than an idle server runs on: asking it whether it is idle puts that off */
const LOOK_MS = 3000;
/** for a supervisor to notice that somebody has gone */
const NOTICE_MS = 500;

/**
 * Runs work on a directory that nobody uses, and that nobody can use meanwhile: whoever asks for the server is told why not. It ends
 * with the process, however that ends. A server whose last user has just gone is waited for.
 *
 * @param why for them.
 * @throws EmbeddedPostgresError `directory_in_use`
 */
export async function holdDirectory<T>(home: EmbeddedHome, why: string, work: () => Promise<T>): Promise<T> {
  const previous = latestLockOwner(home.run);
  const sockets = prepareSocketDirectory(home, tmpdir(), previous ? socketDirectoryOf(previous.address) : '');
  const address = leaseAddress(home, sockets);
  if (!(await takeWhenLeft(home, address))) throw inUse(home);
  giveToOwnerOf(lockFileOf(home.run), home.run);
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

async function takeWhenLeft(home: EmbeddedHome, address: string): Promise<boolean> {
  let timesUsed = 0;
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline;) {
    if (takeStartLock(home.run, address)) return true;
    const owner = latestLockOwner(home.run);
    const lease = owner && (await LeaseConnection.open(owner.address));
    // One that runs but does not listen is on its way up or down; one that does not answer in time says nothing.
    const isLeft = lease === null || (await Promise.race([lease.isOnlyOne(), delay(LOOK_MS, null)]));
    lease?.close();
    if (isLeft === false) {
      // Whoever has just gone may still be counted.
      timesUsed += 1;
      if (timesUsed === 2) return false;
      await delay(NOTICE_MS);
    } else await untilReleased(home.run, LOOK_MS);
  }
  return false;
}

function inUse(home: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError('directory_in_use', `the embedded PostgreSQL in ${home.root} is being used`);
}
