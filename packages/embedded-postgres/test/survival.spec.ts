import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgresLease } from '../src/embedded-postgres.js';
import { acquire as acquireOne, answers, makeDirectory, query, removeDirectory } from './support/directories.js';
import { startHolder } from './support/holder.js';
import { countProcesses, embeddedProcesses, eventually, killHard, untilGone } from './support/process-table.js';

// Starts real processes, possibly on a busy machine.
jest.setTimeout(120_000);

describe('the embedded PostgreSQL after kills', () => {
  let directory: string;
  let lease: EmbeddedPostgresLease | undefined;
  const messages: string[] = [];

  const acquire = (): Promise<EmbeddedPostgresLease> =>
    acquireOne({ directory, log: (message) => messages.push(message) });

  beforeAll(() => {
    directory = makeDirectory();
  });

  beforeEach(() => {
    messages.length = 0;
  });

  afterEach(async () => {
    await lease?.release();
    lease = undefined;
  });

  afterAll(() => removeDirectory(directory));

  it('restarts with the same lease after its postmaster was killed', async () => {
    lease = await acquire();
    const [before] = embeddedProcesses(directory).postmasters;
    killHard(before!);
    await eventually('the database answers again', () => answers(lease!));
    const { postmasters, supervisors } = embeddedProcesses(directory);
    expect(postmasters).toHaveLength(1);
    expect(postmasters).not.toContain(before);
    expect(supervisors).toHaveLength(1);
    await eventually('the holder is notified', () =>
      messages.some((message) => message.includes('is available again')),
    );
  });

  it('restarts although a long statement of the killed server is still running', async () => {
    lease = await acquire();
    const endless = query(lease, 'SELECT count(*) FROM generate_series(1, 1000000000000) AS a(n) WHERE n % 2 = 3');
    const outcome = endless.then(
      () => 'answered',
      () => 'broken',
    );
    await eventually('it runs', async () => {
      const running = await query(
        lease!,
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%= 3' AND state = 'active'`,
      );
      return running.length === 1;
    });
    killHard(...embeddedProcesses(directory).postmasters);
    await eventually('the database answers again', () => answers(lease!));
    expect(await outcome).toBe('broken');
    expect(embeddedProcesses(directory).postmasters).toHaveLength(1);
  });

  it('restarts repeatedly after consecutive crashes', async () => {
    lease = await acquire();
    for (let crash = 0; crash < 4; crash += 1) {
      killHard(...embeddedProcesses(directory).postmasters);
      await eventually('the database answers again', () => answers(lease!));
    }
    expect(embeddedProcesses(directory).postmasters).toHaveLength(1);
  });

  it('renews the leases of all holders with one server after the supervisor was killed', async () => {
    lease = await acquire();
    const other = await acquire();
    const before = embeddedProcesses(directory);
    killHard(...before.supervisors);
    await eventually(
      'both leases are renewed',
      () => messages.filter((message) => message.includes('renewed')).length >= 4,
    );
    expect(await answers(lease)).toBe(true);
    expect(await answers(other)).toBe(true);
    // Each holder starts a supervisor. Those that start too late exit.
    await eventually('one supervisor is left', () => embeddedProcesses(directory).supervisors.length === 1);
    const after = embeddedProcesses(directory);
    expect(after.postmasters).toHaveLength(1);
    expect(after.supervisors).not.toEqual(before.supervisors);
    await other.release();
    await lease.release();
    await untilGone(directory);
  });

  it('leaves no process when the supervisor and the only holder are killed together', async () => {
    const holder = startHolder(directory);
    await holder.outcome;
    killHard(holder.pid, ...embeddedProcesses(directory).supervisors);
    await untilGone(directory);
  });

  it('replaces a server whose supervisor and guard were killed', async () => {
    const holder = startHolder(directory);
    await holder.outcome;
    const { supervisors, guards, postmasters } = embeddedProcesses(directory);
    killHard(holder.pid, ...guards, ...supervisors);
    await holder.closed;
    expect(embeddedProcesses(directory).postmasters).toEqual(postmasters);
    lease = await acquire();
    expect(await answers(lease)).toBe(true);
    expect(embeddedProcesses(directory).postmasters).toHaveLength(1);
    expect(embeddedProcesses(directory).postmasters).not.toEqual(postmasters);
  });

  it('does not start a new supervisor for a lease that was released while it was renewed', async () => {
    lease = await acquire();
    killHard(...embeddedProcesses(directory).supervisors);
    await eventually('the loss is noticed', () => messages.length > 0);
    await lease.release();
    await untilGone(directory);
  });

  it('loses no acknowledged row when everything is killed during writes, five times', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const writers = [startHolder(directory, { write: true }), startHolder(directory, { write: true })];
      await eventually('rows are written', () => writers.every(({ rows }) => rows.length > 5));
      await delay(randomInt(100));
      const { supervisors, guards, postmasters, backends } = embeddedProcesses(directory);
      killHard(...guards, ...postmasters, ...backends, ...supervisors, ...writers.map(({ pid }) => pid));
      await Promise.all(writers.map(({ closed }) => closed));
      acknowledged.push(...writers.flatMap(({ rows }) => rows));
    }
    lease = await acquire();
    const found = new Set((await query<{ id: string }>(lease, 'SELECT id FROM written')).map(({ id }) => id));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(50);
  });

  it('starts after everything was killed at any moment of the first start', async () => {
    for (const moment of [20, 90, 180, 300, 450, 650]) {
      const fresh = makeDirectory();
      const holder = startHolder(fresh);
      await delay(moment);
      killHard(holder.pid);
      const { supervisors, guards, postmasters, backends } = embeddedProcesses(fresh);
      killHard(...supervisors, ...guards, ...postmasters, ...backends);
      const again = await acquireOne({ directory: fresh });
      expect(await answers(again)).toBe(true);
      expect(embeddedProcesses(fresh).postmasters).toHaveLength(1);
      await again.release();
      await removeDirectory(fresh);
      expect(countProcesses(fresh)).toBe(0);
    }
  });
});
