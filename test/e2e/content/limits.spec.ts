import { makeMagazine } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe('configured limits', () => {
  const world = useTestApp({
    env: {
      CONTENT_MAX_DEPTH: '1',
      CONTENT_MAX_RELATIONS: '1',
      CONTENT_MAX_CONDITIONS: '2',
      CONTENT_MAX_FILTER_BYTES: '120',
      CONTENT_MAX_IN_VALUES: '2',
      CONTENT_MAX_SORT_KEYS: '2',
      CONTENT_MAX_PAGE_SIZE: '250',
      CONTENT_MAX_CHILDREN: '3',
      CONTENT_MAX_NESTED_RECORDS: '2',
      CONTENT_MAX_BULK_RECORDS: '4',
      CONTENT_MAX_BATCH_OPERATIONS: '2',
    },
  });
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it.each([
    ['limit=250', 'limit=251', 'limit', 'out_of_range'],
    ['filter={"category.title":"x"}', 'filter={"category.parent.title":"x"}', 'category.parent.title', 'too_deep'],
    ['select=category', 'select=category,tags', 'select', 'too_many'],
    ['filter={"views":{"$gt":1,"$lt":3}}', 'filter={"views":{"$gt":1,"$lt":3,"$neq":2}}', 'views', 'too_many'],
    [`filter={"title":"${'x'.repeat(100)}"}`, `filter={"title":"${'x'.repeat(120)}"}`, 'filter', 'too_long'],
    ['filter={"views":{"$in":[1,2]}}', 'filter={"views":{"$in":[1,2,3]}}', 'views.$in', 'too_many'],
    ['sort=title,views', 'sort=title,views,slug', 'sort', 'too_many'],
    [
      `select=tags&relations=${json({ tags: { limit: 3 } })}`,
      `select=tags&relations=${json({ tags: { limit: 4 } })}`,
      'relations.tags.limit',
      'out_of_range',
    ],
  ])('accept %s and reject %s', async (good, bad, field, code) => {
    await root.get(`/api/content/posts?${good}`).expect(200);
    const { body } = await root.get(`/api/content/posts?${bad}`).expect(400);
    expect(body.data.errors).toContainEqual({ field, code, message: expect.any(String) });
  });

  it('cap expanded children if the request sets no lower limit', async () => {
    const { body } = await root.post('/api/content/posts', { title: 'many' }).expect(201);
    const tags = (names: string[]) => ({ tags: { $add: names.map((title) => ({ title })) } });
    for (const name of ['a', 'b', 'c', 'd']) await root.patch(`/api/content/posts/${body.data.id}`, tags([name]));
    const read = await root.get(`/api/content/posts/${body.data.id}?select=tags`).expect(200);
    expect(read.body.data.tags).toHaveLength(3);
    await root.patch(`/api/content/posts/${body.data.id}`, tags(['e', 'f'])).expect(400);
  });

  it('bound the writes of one request, which changes nothing beyond', async () => {
    const titles = (count: number) => Array.from({ length: count }, (_, at) => ({ title: `bulk ${at}` }));
    await root.post('/api/content/categories', titles(5)).expect(404);
    await root.post('/api/content/categorys', titles(5)).expect(400);
    expect((await root.get('/api/content/categorys')).body.data.total).toBe(0);
    await root.post('/api/content/categorys', titles(4)).expect(201);
    await root.post('/api/content/categorys', titles(1)).expect(201);
    await root.patch('/api/content/categorys?filter={}', { title: 'changed' }).expect(400);
    await root.delete('/api/content/categorys?filter={}').expect(400);
    expect((await root.get('/api/content/categorys?filter={"title":"changed"}')).body.data.total).toBe(0);
    const operations = titles(3).map((data) => ({ op: 'create', schema: 'category', data }));
    await root.post('/api/batch', { operations }).expect(400);
    await root.post('/api/batch', { operations: operations.slice(0, 2) }).expect(200);
    expect((await root.get('/api/content/categorys')).body.data.total).toBe(7);
  });
});
