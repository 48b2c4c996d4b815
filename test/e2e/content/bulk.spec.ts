import { makeMagazine, personWith } from '../../support/content-world.js';
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
