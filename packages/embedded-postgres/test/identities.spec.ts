import { chmodSync, chownSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome } from '../src/embedded-home.js';
import { canLaunch, currentSituation, identityCandidates, type LaunchIdentity } from '../src/launch-identity.js';
import { launchSupervisor } from '../src/launch-supervisor.js';
import { acquire, answers, makeDirectory, NAME, removeDirectory, SUPERVISOR } from './support/directories.js';
import { startHolder } from './support/holder.js';
import { embeddedProcesses, killHard, untilGone } from './support/process-table.js';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** The launch identities that work on this machine. Root can use all three unless something forbids one. */
const probe = makeDirectory();
const available = identityCandidates(currentSituation(createHome(probe, NAME).root)).filter((identity) =>
  canLaunch(identity, ['/']),
);
const nameOf = ({ prefix, become }: LaunchIdentity): string => prefix[0] ?? (become ? 'dropped rights' : 'no change');

// Starts real processes, possibly on a busy machine.
jest.setTimeout(120_000);

describe('the embedded PostgreSQL, run as a supported user', () => {
  let directory: string;

  beforeEach(() => {
    directory = makeDirectory();
    chmodSync(dirname(directory), 0o755);
  });

  afterEach(() => removeDirectory(directory));

  afterAll(() => removeDirectory(probe));

  it.each(available.map((identity) => [nameOf(identity), identity] as const))('starts by %s', async (_, identity) => {
    // Only setpriv keeps root's right to pass the closed parent directory.
    if (identity.prefix[0] === 'setpriv') chmodSync(dirname(directory), 0o700);
    launchSupervisor(createHome(directory, NAME), { supervisor: SUPERVISOR, identities: [identity] });
    const lease = await acquire({ directory });
    expect(await answers(lease)).toBe(true);
    expect(statSync(join(directory, 'cluster')).uid).toBe(identity.owner?.uid ?? process.geteuid?.());
    killHard(...embeddedProcesses(directory).postmasters);
    await lease.release();
    await untilGone(directory);

    // The next start finds its own identity, whichever one the first start used.
    const again = await acquire({ directory });
    expect(await answers(again)).toBe(true);
    await again.release();
    await untilGone(directory);
  });

  it('starts for an ordinary user, and then for root without changing the owner of the data', async () => {
    if (isRoot) chownSync(dirname(directory), NOBODY, NOBODY);
    const prefix = isRoot ? asNobody : [];
    const owner = statSync(dirname(directory)).uid;
    expect(owner).not.toBe(0);
    for (const runAs of [prefix, [], prefix]) {
      const holder = startHolder(directory, { prefix: runAs });
      expect(await holder.outcome).toMatchObject({ event: 'ready' });
      const [postmaster] = embeddedProcesses(directory).postmasters;
      expect(statSync(`${directory}/cluster/postmaster.pid`).uid).toBe(owner);
      expect(postmaster).toBeGreaterThan(0);
      killHard(holder.pid);
      await untilGone(directory);
    }
  });

  it('names the directory if it belongs to another user', async () => {
    // Root can read everything, so the holder runs as nobody there. An ordinary user gets a directory without permissions.
    const home = createHome(directory, NAME);
    chmodSync(isRoot ? home.root : home.run, isRoot ? 0o700 : 0);
    const holder = startHolder(directory, { prefix: isRoot ? asNobody : [] });
    expect(await holder.outcome).toMatchObject({
      code: 'directory_not_accessible',
      message: expect.stringContaining(home.root),
    });
    await holder.closed;
    chmodSync(home.run, 0o700);
  });
});
