import { DataSource } from 'typeorm';
import { makeMagazine } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const POSTS = '/api/content/posts';

describe('statement timeouts', () => {
  const world = useTestApp();
  let root: TestClient;
  let other: DataSource;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    other = await new DataSource(world.app.database.options).initialize();
  });

  afterAll(async () => {
    await other.destroy();
  });

  it('stop reads and simple writes first, and transactions later', async () => {
    const { id } = (await root.post(POSTS, { title: 'held', views: 1 }).expect(201)).body.data;
    const holder = other.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE posts IN ACCESS EXCLUSIVE MODE');
    const nested = root.post(POSTS, { title: 'nested', category: { title: 'new' } }).then((response) => response);
    const stopped = [
      root.get(POSTS),
      root.get(`${POSTS}/${id}`),
      root.get(`${POSTS}/aggregate?count=*`),
      root.patch(`${POSTS}/${id}`, { views: 2 }),
      root.post(POSTS, { title: 'late' }),
    ];
    for (const answer of await Promise.all(stopped)) {
      expect(answer.status).toBe(503);
      expect(answer.body.data).toEqual({ error: 'query_timeout' });
      expect(answer.headers['retry-after']).toBe('1');
    }
    const longWaiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '6 seconds'`;
    await until(async () => (await other.query<unknown[]>(longWaiting)).length === 1, 'the nested write to wait on');
    await holder.rollbackTransaction();
    expect((await nested).status).toBe(201);
    expect((await root.get(`${POSTS}/${id}`).expect(200)).body.data.views).toBe(1);
    expect((await root.get(`${POSTS}?filter={"title":"late"}`).expect(200)).body.data.total).toBe(0);
  });

  it('are 15 seconds in a writing transaction and 5 seconds elsewhere', async () => {
    const { id } = (await root.post(POSTS, { title: 'bounds' }).expect(201)).body.data;
    const holder = other.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT 1 FROM posts WHERE id = $1 FOR UPDATE', [id]);
    const waiting = root.patch(`${POSTS}/${id}`, { category: { title: 'new' } }).then((response) => response);
    const blocked = (): Promise<unknown[]> =>
      other.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    await until(async () => (await blocked()).length > 0, 'the change to wait');
    await holder.rollbackTransaction();
    expect((await waiting).status).toBe(200);
    const bounds = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.app.database.transaction(async (manager) => {
          const [row] = await manager.query<{ statement_timeout: string }[]>('SHOW statement_timeout');
          return row?.statement_timeout;
        }),
      ),
    );
    expect(bounds).toEqual(Array(10).fill('5s'));
  });

  it('leave no setting in the session, which a pooler may share', async () => {
    const slow = world.app.sql('SELECT pg_sleep(20)');
    await expect(slow).rejects.toMatchObject({ driverError: { code: '57014' } });
    const [before] = await other.query<{ reset_val: string }[]>(
      `SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout'`,
    );
    const shown = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.app.sql(`SELECT setting, pg_sleep(0.1) FROM pg_settings WHERE name = 'statement_timeout'`),
      ),
    );
    expect(new Set(shown.flat().map(({ setting }) => setting))).toEqual(new Set([before?.reset_val]));
  });
});
