import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const WRONG = ['nope', 'Draft', 'DRAFT', ' draft', 'draft ', '', 'draft,published'];
const OPERATORS = ['$eq', '$neq', '$in', '$nin', '$gt', '$gte', '$lt', '$lte'];

describe('filters of enum fields', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await root.post('/api/content/posts', [{ title: 'a' }, { title: 'b', status: 'published' }]).expect(201);
  });

  const operand = (operator: string, value: unknown): unknown =>
    operator.endsWith('in') ? { [operator]: ['draft', value] } : { [operator]: value };
  const list = (client: TestClient, filter: unknown, path = '/api/content/posts') =>
    client.get(`${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`);

  it.each(OPERATORS)('reject a value that the field does not have, and list the values: %s', async (operator) => {
    for (const value of [...WRONG, 1, true]) {
      const { body } = await list(root, { status: operand(operator, value) }).expect(400);
      const message = expect.stringContaining('one of draft, published');
      expect(body.data).toEqual({
        error: 'query_invalid',
        errors: [{ field: 'status', code: 'value_invalid', message }],
      });
    }
    await list(root, { status: operand(operator, 'published') }).expect(200);
  });

  it('reject it in every position of a filter', async () => {
    const wrong = { status: 'nope' };
    for (const filter of [{ $and: [wrong] }, { $or: [{ title: 'a' }, wrong] }, { $not: wrong }])
      await list(root, filter).expect(400);
    await list(root, { 'posts.status': 'nope' }, '/api/content/categorys').expect(400);
    await list(root, { posts: { $some: wrong } }, '/api/content/tags').expect(400);
    await list(root, wrong, '/api/content/posts/export').expect(400);
    await root.get(`/api/content/posts/aggregate?count=*&filter=${JSON.stringify(wrong)}`).expect(400);
    await root.patch(`/api/content/posts?filter=${JSON.stringify(wrong)}`, { views: 1 }).expect(400);
    await root.delete(`/api/content/posts?filter=${JSON.stringify(wrong)}`).expect(400);
  });

  it('still find by null, values and patterns', async () => {
    expect((await list(root, { status: { $in: [] } }).expect(200)).body.data.total).toBe(0);
    expect((await list(root, { status: null }).expect(200)).body.data.total).toBe(0);
    expect((await list(root, { status: { $contains: 'pub' } }).expect(200)).body.data.total).toBe(1);
  });

  it('reveal nothing about a field that the caller cannot read', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow', fields: { read: ['id', 'title'] } },
    ]);
    const { body } = await list(client, { status: 'nope' }).expect(400);
    expect(body.data.errors).toEqual([
      { field: 'status', code: 'unknown_field', message: 'is not a field that you can use here' },
    ]);
  });
});
