import { DataSource } from 'typeorm';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const filter = (value: unknown) => `filter=${encodeURIComponent(JSON.stringify(value))}`;

describe('requests on many records', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await root
      .post('/api/content/posts', [
        { title: 'A', status: 'draft', views: 1, score: 0.5, category: { title: 'News' } },
        { title: 'B', status: 'draft', views: 2, score: 1.5, published_at: '2026-01-01T00:00:00Z' },
        { title: 'C', status: 'published', views: 4, huge: '18446744073709551615' },
      ])
      .expect(201);
  });

  describe('aggregate', () => {
    const aggregate = (query: string) => root.get(`/api/content/posts/aggregate?${query}`);

    it('counts and sums by group', async () => {
      const { body } = await aggregate('count=*&sum=views&group=status').expect(200);
      expect(body).toEqual({
        data: [
          { status: 'draft', count: 2, sum: { views: 3 } },
          { status: 'published', count: 1, sum: { views: 4 } },
        ],
        next_cursor: null,
      });
    });

    it('returns one row without groups, with every function', async () => {
      const { body } = await aggregate('sum=views,huge&avg=score&min=title&max=published_at,views').expect(200);
      expect(body.data).toEqual([
        {
          sum: { views: 7, huge: '18446744073709551615' },
          avg: { score: 1 },
          min: { title: 'A' },
          max: { published_at: '2026-01-01T00:00:00.000Z', views: 4 },
        },
      ]);
    });

    it('loads the records of groups with one statement', async () => {
      const sent = await statementsOf(() => aggregate('count=*&group=category,category.title').expect(200));
      const { text = '' } = sent.find((statement) => statement.text.includes('GROUP BY')) ?? {};
      expect(text).toContain('LEFT JOIN "categorys"');
      expect(text).not.toMatch(/\(SELECT [^()]* FROM "categorys"/);
    });

    it('groups over relations and accepts filters', async () => {
      const { body } = await aggregate(`count=*&group=category.title&${filter({ status: 'draft' })}`).expect(200);
      expect(body.data).toEqual([
        { 'category.title': 'News', count: 1 },
        { 'category.title': null, count: 1 },
      ]);
    });

    it('respects rules and field permissions', async () => {
      const { client } = await personWith(world.app, [
        {
          resource: 'content.post.aggregate',
          value: "record.status == 'draft'",
          fields: { read: ['status', 'views'] },
        },
      ]);
      const { body } = await client.get('/api/content/posts/aggregate?count=*&sum=views').expect(200);
      expect(body.data).toEqual([{ count: 2, sum: { views: 3 } }]);
      for (const query of [
        'max=score',
        'group=score',
        'group=category.title',
        `count=*&${filter({ score: 1 })}`,
        'max=secret',
      ]) {
        await client.get(`/api/content/posts/aggregate?${query}`).expect(400);
      }
      await client.get('/api/content/posts').expect(403);
      await client.get('/api/content/users/aggregate?count=*').expect(403);
    });

    it('sums any numeric field, and returns a sum outside the number range as text', async () => {
      const big = schema('big', [field('float64', 'd', { optional: true }), field('float32', 'f', { optional: true })]);
      await root.post('/api/schema', big).expect(201);
      const sums = async (...records: object[]) => {
        await root.delete(`/api/content/big?${filter({})}`).expect(200);
        if (records.length > 0)
          await root
            .post(
              '/api/content/big',
              records.map((record) => ({ title: 't', ...record })),
            )
            .expect(201);
        return (await root.get('/api/content/big/aggregate?sum=d,f&avg=d,f').expect(200)).body.data[0];
      };
      expect(await sums()).toEqual({ sum: { d: null, f: null }, avg: { d: null, f: null } });
      expect(await sums({ d: 0.1, f: 3.4e38 }, { d: 0.2, f: 3.4e38 })).toEqual({
        sum: { d: 0.1 + 0.2, f: expect.closeTo(6.8e38, -32) },
        avg: { d: (0.1 + 0.2) / 2, f: expect.closeTo(3.4e38, -32) },
      });
      expect(await sums({ d: 1.7e308 }, { d: 1.7e308 })).toMatchObject({
        sum: { d: `34${'0'.repeat(307)}` },
        avg: { d: 1.7e308 },
      });
      expect(await sums({ d: 1.7e308 }, { d: -1.7e308 }, { d: 2.5 }, {})).toMatchObject({
        sum: { d: 2.5 },
        avg: { d: 2.5 / 3 },
      });
      expect(await sums({ d: 1.7976931348623157e308 }, { d: 5e-324 })).toMatchObject({
        sum: { d: 1.7976931348623157e308 },
        avg: { d: 1.7976931348623157e308 / 2 },
      });
      expect(await sums({ d: -1.7976931348623157e308 }, { d: -1e292 })).toMatchObject({
        sum: { d: expect.stringMatching(/^-1797/) },
      });
    });

    it.each([
      '',
      'count=1',
      'sum=title',
      'avg=published_at',
      'sum=password',
      'group=status',
      'median=views',
      'max=featured',
    ])('rejects %s', async (query) => {
      const { body } = await aggregate(query).expect(400);
      expect(body.data.error).toBe('query_invalid');
    });
  });

  it('changes the records that match a filter and may be changed, and returns their number', async () => {
    await root.patch('/api/content/posts', { views: 9 }).expect(400);
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow' },
      { resource: 'content.post.update', value: "record.status == 'draft'", fields: { write: ['views'] } },
    ]);
    const changed = await client.patch(`/api/content/posts?${filter({})}`, { views: 9 }).expect(200);
    expect(changed.body).toEqual({ data: { count: 2 } });
    expect((await root.get('/api/content/posts?sort=title&select=views')).body.data.items).toEqual([
      { views: 9 },
      { views: 9 },
      { views: 4 },
    ]);
    await client.patch(`/api/content/posts?${filter({})}`, { title: 'x' }).expect(400);
    await client.patch(`/api/content/posts?${filter({ 'owner.password': 'x' })}`, { views: 1 }).expect(400);
    await client.delete(`/api/content/posts?${filter({})}`).expect(403);
  });

  it('deletes the records that match a filter, and requires a filter', async () => {
    await root.delete('/api/content/posts').expect(400);
    await root.delete('/api/content/posts?filter=').expect(400);
    expect(
      (await root.delete(`/api/content/posts?${filter({ title: { $in: [] } })}`).expect(200)).body.data.count,
    ).toBe(0);
    const { body } = await root.delete(`/api/content/posts?${filter({ status: 'draft' })}`).expect(200);
    expect(body).toEqual({ data: { count: 2 } });
    expect((await root.get('/api/content/posts')).body.data.total).toBe(1);
  });

  it('validates the body even if no record matches', async () => {
    for (const body of [{ title: 5 }, { nothing: 1 }, [], undefined])
      await root.patch(`/api/content/posts?${filter({ title: 'there is none' })}`, body).expect(400);
  });

  describe('when another request changes the records meanwhile', () => {
    let other: DataSource;

    beforeAll(async () => {
      const parcel = schema('parcel', [
        field('string', 'state'),
        field('string', 'owner'),
        relation('crate', 'crate', 'parcels', 'm2o'),
      ]);
      const crate = schema('crate', [
        field('string', 'state', { optional: true }),
        relation('parcels', 'parcel', 'crate', 'o2m', { owner: true }),
      ]);
      await root.post('/api/schema', { schemas: [parcel, crate] }).expect(201);
      other = await new DataSource(world.app.database.options).initialize();
    });

    afterAll(() => other.destroy());

    /** Sends a request that waits for a change of all records, and returns its result. */
    const during = async (
      change: string,
      request: () => PromiseLike<{ status: number; body: { data: unknown } }>,
    ): Promise<unknown> => {
      const holder = other.createQueryRunner();
      await holder.startTransaction();
      await holder.query(change);
      const waiting = Promise.resolve(request());
      for (;;) {
        const rows = await other.query<unknown[]>(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        if (rows.length > 0) break;
      }
      await holder.commitTransaction();
      await holder.release();
      const { status, body } = await waiting;
      return [status, body.data];
    };
    const parcels = async (count: number, more: object = {}) => {
      await root.delete(`/api/content/parcel?${filter({})}`).expect(200);
      const list = Array.from({ length: count }, (_, at) => ({ title: `${at}`, state: 'open', owner: 'A', ...more }));
      await root.post('/api/content/parcel', list).expect(201);
    };
    const states = async () =>
      (
        await world.app.sql<{ state: string; gone: boolean }>(
          'SELECT state, deleted_at IS NOT NULL AS gone FROM parcels WHERE title IS NOT NULL AND created_at = (SELECT max(created_at) FROM parcels) ORDER BY title',
        )
      ).map(({ state, gone }) => (gone ? 'gone' : state));
    const open = filter({ state: 'open' });

    it('skips and does not count records that no longer match the filter', async () => {
      await parcels(3);
      const shut = `UPDATE parcels SET state = 'shut' WHERE title = '1'`;
      expect(await during(shut, () => root.patch(`/api/content/parcel?${open}`, { state: 'sent' }))).toEqual([
        200,
        { count: 2 },
      ]);
      expect(await states()).toEqual(['sent', 'shut', 'sent']);
      await parcels(3);
      expect(await during(shut, () => root.delete(`/api/content/parcel?${open}`))).toEqual([200, { count: 2 }]);
      expect(await states()).toEqual(['gone', 'shut', 'gone']);
      await parcels(2);
      const deleted = `UPDATE parcels SET deleted_at = now() WHERE title = '0'`;
      expect(await during(deleted, () => root.delete(`/api/content/parcel?${open}`))).toEqual([200, { count: 1 }]);
      await parcels(2);
      expect(
        await during(`DELETE FROM parcels WHERE title = '0'`, () =>
          root.patch(`/api/content/parcel?${open}`, { state: 'x' }),
        ),
      ).toEqual([200, { count: 1 }]);
    });

    it('skips records that the rule no longer allows', async () => {
      const rule = "record.owner == 'A'";
      const { client } = await personWith(world.app, [
        { resource: 'content.parcel.list', value: 'allow' },
        { resource: 'content.parcel.update', value: rule },
        { resource: 'content.parcel.delete', value: rule },
      ]);
      const concurrentChange = `UPDATE parcels SET owner = 'B' WHERE title = '0'`;
      await parcels(2);
      expect(
        await during(concurrentChange, () => client.patch(`/api/content/parcel?${open}`, { state: 'mine' })),
      ).toEqual([200, { count: 1 }]);
      expect(await states()).toEqual(['open', 'mine']);
      await parcels(2);
      expect(await during(concurrentChange, () => client.delete(`/api/content/parcel?${filter({})}`))).toEqual([
        200,
        { count: 1 },
      ]);
      expect(await states()).toEqual(['open', 'gone']);
    });

    it('skips records that no longer match over a relation, whichever row it waits for', async () => {
      for (const change of [
        `UPDATE parcels SET crate_id = NULL WHERE title = '0'`,
        `WITH held AS (SELECT 1 FROM parcels WHERE title = '0' FOR UPDATE) UPDATE crates SET state = 'shut' FROM held`,
      ]) {
        const crate = (await root.post('/api/content/crate', { title: 'crate', state: 'open' }).expect(201)).body.data
          .id;
        await parcels(1, { crate });
        const found = filter({ 'crate.state': 'open' });
        expect(await during(change, () => root.delete(`/api/content/parcel?${found}`))).toEqual([200, { count: 0 }]);
        expect(await states()).toEqual(['open']);
      }
    });

    it('counts each record for one of 16 concurrent requests', async () => {
      await parcels(8);
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          root.patch(`/api/content/parcel?${open}`, { state: `taken by ${at}` }).expect(200),
        ),
      );
      const counts = answers.map(({ body }) => Number(body.data.count));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(8);
      for (const [at, count] of counts.entries())
        expect((await states()).filter((state) => state === `taken by ${at}`)).toHaveLength(count);
    });
  });
});
