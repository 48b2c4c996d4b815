import { makeMagazine, personWith } from '../../support/content-world.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const filter = (value: unknown) => `filter=${encodeURIComponent(JSON.stringify(value))}`;

describe('many records at once', () => {
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
      });
    });

    it('answers one row without groups, with every function', async () => {
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

    it('groups over relations and takes filters', async () => {
      const { body } = await aggregate(`count=*&group=category.title&${filter({ status: 'draft' })}`).expect(200);
      expect(body.data).toEqual([
        { 'category.title': 'News', count: 1 },
        { 'category.title': null, count: 1 },
      ]);
    });

    it('holds to rules and fields', async () => {
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

    it('adds up whatever a field holds, and answers a sum that no number holds as text', async () => {
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
    ])('refuses %s', async (query) => {
      const { body } = await aggregate(query).expect(400);
      expect(body.data.error).toBe('query_invalid');
    });
  });

  it('changes what a filter finds, within what may be changed, and answers how many', async () => {
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

  it('deletes what a filter finds, and nothing without one', async () => {
    await root.delete('/api/content/posts').expect(400);
    await root.delete('/api/content/posts?filter=').expect(400);
    expect(
      (await root.delete(`/api/content/posts?${filter({ title: { $in: [] } })}`).expect(200)).body.data.count,
    ).toBe(0);
    const { body } = await root.delete(`/api/content/posts?${filter({ status: 'draft' })}`).expect(200);
    expect(body).toEqual({ data: { count: 2 } });
    expect((await root.get('/api/content/posts')).body.data.total).toBe(1);
  });
});
