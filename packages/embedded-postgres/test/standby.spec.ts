import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  acquireEmbeddedPostgres,
  type EmbeddedPostgresLease,
  followEmbeddedPostgres,
  promoteStandby,
  standbyState,
} from '../src/embedded-postgres.js';
import { makeDirectory, NAME, query, removeDirectory, SUPERVISOR } from './support/directories.js';
import { embeddedProcesses, eventually, killHard, untilGone } from './support/process-table.js';

// Starts real servers, possibly on a busy machine.
jest.setTimeout(180_000);

/** The tests run in order on one server and its standby. Each continues with the state that the previous test left. */
describe('a standby of the embedded PostgreSQL', () => {
  let directory: string;
  let standby: string;
  let lease: EmbeddedPostgresLease;
  let follower: EmbeddedPostgresLease;
  const place = (): { directory: string; name: string; supervisor: string } => ({
    directory,
    name: NAME,
    supervisor: SUPERVISOR,
  });
  const follow = (): Promise<EmbeddedPostgresLease> => followEmbeddedPostgres({ ...place(), url: lease.url, standby });
  const promote = (): ReturnType<typeof promoteStandby<number>> =>
    promoteStandby({ ...place(), standby, work: async (url) => count({ url } as EmbeddedPostgresLease) });
  const caughtUp = (): Promise<void> =>
    eventually('it has everything', async () => {
      const { streaming, lagBytes } = await standbyState(lease.url);
      return streaming && lagBytes === 0;
    });

  beforeAll(async () => {
    directory = makeDirectory();
    standby = join(dirname(directory), 'standby');
    lease = await acquireEmbeddedPostgres(place());
    await query(lease, 'CREATE TABLE things (n int)');
  });

  afterAll(async () => {
    await follower?.release();
    await lease?.release();
    killHard(...Object.values(embeddedProcesses(standby)).flat());
    await removeDirectory(directory);
  });

  it('replicates writes, and rejects its own', async () => {
    await query(lease, 'INSERT INTO things VALUES (1)');
    expect(await standbyState(lease.url)).toEqual({ streaming: false, lagBytes: 0 });
    follower = await follow();
    await query(lease, 'INSERT INTO things VALUES (2)');
    await caughtUp();
    await eventually('it shows the second row', async () => (await count(follower)) === 2);
    await expect(query(follower, 'INSERT INTO things VALUES (3)')).rejects.toMatchObject({ code: '25006' });
  });

  it('continues after it was killed, without a new copy', async () => {
    const mark = join(standby, 'cluster', 'mark');
    writeFileSync(mark, '');
    killHard(...Object.values(embeddedProcesses(standby)).flat());
    await query(lease, 'INSERT INTO things SELECT n FROM generate_series(3, 1000) n');
    const again = await follow();
    await caughtUp();
    await eventually('it shows all rows', async () => (await count(again)) === 1000);
    expect(existsSync(mark)).toBe(true);
    await follower.release();
    follower = again;
  });

  it('does not use an occupied directory', async () => {
    await expect(promote()).rejects.toMatchObject({ code: 'directory_in_use' });
  });

  it('replaces a server whose directory is lost, with all its data', async () => {
    await query(lease, 'INSERT INTO things SELECT n FROM generate_series(1001, 2000) n');
    await caughtUp();
    const { supervisors, guards, postmasters, backends } = embeddedProcesses(directory);
    await lease.release();
    await follower.end();
    killHard(...guards, ...postmasters, ...backends, ...supervisors);
    await untilGone(directory);
    rmSync(directory, { recursive: true });
    expect(await promote()).toEqual({ result: 2000, kept: null });
    lease = await acquireEmbeddedPostgres(place());
    await query(lease, 'INSERT INTO things VALUES (0)');
    expect(await count(lease)).toBe(2001);
    follower = await follow();
    await caughtUp();
    await eventually('the new one follows', async () => (await count(follower)) === 2001);
  });

  it('does not change a directory that is no standby', async () => {
    await expect(
      promoteStandby({ ...place(), standby: join(standby, 'none'), work: () => Promise.resolve() }),
    ).rejects.toMatchObject({ code: 'directory_damaged' });
    const other = join(dirname(directory), 'other');
    mkdirSync(join(other, 'cluster'), { recursive: true });
    await expect(followEmbeddedPostgres({ ...place(), url: lease.url, standby: other })).rejects.toMatchObject({
      code: 'directory_damaged',
    });
    expect(existsSync(join(other, 'cluster'))).toBe(true);
  });
});

async function count(lease: EmbeddedPostgresLease): Promise<number> {
  const [row] = await query<{ count: number }>(lease, 'SELECT count(*)::int AS count FROM things');
  return row!.count;
}
