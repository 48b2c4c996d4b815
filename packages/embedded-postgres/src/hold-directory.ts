import { tmpdir } from 'node:os';
import { giveToOwnerOf } from './durable-files.js';
import { prepareSocketDirectory, socketDirectoryOf, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { leaseAddress } from './lease-messages.js';
import { LeaseServer } from './lease-server.js';
import { findRunningServer } from './postmaster-file.js';
import { latestLockOwner, lockFileOf, releaseStartLock, takeStartLock } from './start-lock.js';

/**
 * Runs work on a directory that nobody uses, and that nobody can use meanwhile: whoever asks for the server is told why not. It ends
 * with the process, however that ends.
 *
 * @param why for them.
 * @throws EmbeddedPostgresError `directory_in_use`
 */
export async function holdDirectory<T>(home: EmbeddedHome, why: string, work: () => Promise<T>): Promise<T> {
  const previous = latestLockOwner(home.run);
  const sockets = prepareSocketDirectory(home, tmpdir(), previous ? socketDirectoryOf(previous.address) : '');
  const address = leaseAddress(home, sockets);
  if (!takeStartLock(home.run, address)) throw inUse(home);
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

function inUse(home: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError('directory_in_use', `the embedded PostgreSQL in ${home.root} is being used`);
}
