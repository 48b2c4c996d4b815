import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

describe('writing content', () => {
  const world = useTestApp();
  let root: TestClient;
  const make = async (body: Json, query = ''): Promise<Json & { id: string }> => {
    const response = await root.post(`/api/content/posts${query}`, body).expect(201);
    return response.body.data;
  };
  const rows = async (table: string) =>
    (await world.app.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('creates a record with its defaults and returns it', async () => {
    const { body, headers } = await root.post('/api/content/post', { title: 'First' }).expect(201);
    expect(headers['etag']).toMatch(/^"\d+"$/);
    expect(body.data).toMatchObject({ title: 'First', status: 'draft', views: 0, body: null });
    expect(body.data.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.data.updated_at).toBe(body.data.created_at);
  });

  it('stores every type of value unchanged', async () => {
    const values = {
      title: "Ünï 'quoted' ✓",
      big: '9007199254740993',
      huge: '18446744073709551615',
      raw: 'AP8=',
      score: 0.1,
      published_at: '2026-01-02T03:04:05.678Z',
      featured: true,
      meta: { a: [1, null, 'x'] },
      rank: 255,
    };
    expect(await make({ ...values })).toMatchObject(values);
    const now = await make({ title: 'now', published_at: 'now', meta: 'text' });
    expect(now).toMatchObject({ published_at: now['created_at'], meta: 'text' });
  });

  it.each<[Json, string, string]>([
    [{}, 'title', 'required'],
    [{ title: null }, 'title', 'value_invalid'],
    [{ title: 5 }, 'title', 'value_invalid'],
    [{ title: 'x'.repeat(256) }, 'title', 'value_invalid'],
    [{ title: 'nul\u0000' }, 'title', 'value_invalid'],
    [{ title: 'x', status: 'other' }, 'status', 'value_invalid'],
    [{ title: 'x', views: 1.5 }, 'views', 'value_invalid'],
    [{ title: 'x', views: '9007199254740993' }, 'views', 'value_invalid'],
    [{ title: 'x', rank: 256 }, 'rank', 'value_invalid'],
    [{ title: 'x', huge: -1 }, 'huge', 'value_invalid'],
    [{ title: 'x', raw: '??' }, 'raw', 'value_invalid'],
    [{ title: 'x', published_at: '2026-02-30' }, 'published_at', 'value_invalid'],
    [{ title: 'x', featured: 'yes' }, 'featured', 'value_invalid'],
    [{ title: 'x', score: { $gt: 1 } }, 'score', 'value_invalid'],
    [{ title: 'x', nothing: 1 }, 'nothing', 'unknown_field'],
    [{ title: 'x', category_id: null }, 'category_id', 'read_only'],
    [{ title: 'x', constructor: 1 }, 'constructor', 'unknown_field'],
    [{ title: 'x', id: '00000000-0000-7000-8000-000000000009' }, 'id', 'read_only'],
    [{ title: 'x', created_at: '2020-01-01' }, 'created_at', 'read_only'],
    [{ title: 'x', deleted_at: null }, 'deleted_at', 'read_only'],
    [{ title: 'x', category: 'x' }, 'category', 'reference_invalid'],
    [{ title: 'x', category: { id: 1 } }, 'category', 'reference_invalid'],
    [
      { title: 'x', category: { title: 'n', id: '00000000-0000-7000-8000-000000000009' } },
      'category',
      'reference_invalid',
    ],
    [{ title: 'x', tags: 'x' }, 'tags', 'list_invalid'],
    [{ title: 'x', tags: { $push: [] } }, 'tags', 'list_invalid'],
    [{ title: 'x', tags: { $set: [], $add: [] } }, 'tags', 'list_invalid'],
    [{ title: 'x', category: {} }, 'category.title', 'required'],
    [{ title: 'x', comments: [{ title: 'x', post: null }] }, 'comments[0].post', 'unknown_field'],
    [{ title: 'x', owner: { email: 'a@example.com', password_hash: 'x' } }, 'owner.password_hash', 'unknown_field'],
    [{ title: 'x', tags: Array.from({ length: 201 }, () => ({ title: 't' })) }, 'tags[199]', 'too_many'],
  ])('rejects %j', async (body, field, code) => {
    const before = await rows('posts');
    const response = await root.post('/api/content/post', body).expect(400);
    expect(response.body.data.error).toBe('field_invalid');
    expect(response.body.data.errors).toContainEqual({ field, code, message: expect.any(String) });
    expect(await rows('posts')).toBe(before);
  });

  it.each([[[]], ['text'], [5], [null]])('rejects %j as a record', async (body) => {
    const { id } = await make({ title: 'body' });
    await root.patch(`/api/content/post/${id}`, body).expect(400);
  });

  it('changes in part, replaces as a whole, and keeps immutable fields', async () => {
    const made = await make({ title: 'One', body: 'text', rank: 7, views: 3 });
    const path = `/api/content/post/${made.id}`;
    const changed = await root.patch(path, { views: 4 }).expect(200);
    expect(changed.body.data).toMatchObject({ title: 'One', body: 'text', views: 4, rank: 7 });
    const refused = await root.patch(path, { rank: 8 }).expect(400);
    expect(refused.body.data.errors).toEqual([{ field: 'rank', code: 'immutable', message: expect.any(String) }]);
    await root.put(path, { views: 1 }).expect(400);
    const replaced = await root.put(path, { title: 'Two' }).expect(200);
    expect(replaced.body.data).toMatchObject({ title: 'Two', body: null, views: 0, rank: 7, status: 'draft' });
  });

  it('writes references and links by id, by operation and nested', async () => {
    const select = '?select=title,category.title,tags.title,comments.title';
    const made = await make(
      {
        title: 'Nested',
        category: { title: 'Inner' },
        tags: [{ title: 'a' }, { title: 'b' }],
        comments: [{ title: 'c' }],
      },
      `?select=id,category,tags,comments`,
    );
    const [first, second] = made['tags'] as { id: string; title: string }[];
    const [comment] = made['comments'] as { id: string }[];
    const path = `/api/content/post/${made.id}${select}`;
    const patch = async (body: Json) => (await root.patch(path, body).expect(200)).body.data;
    expect(await patch({})).toEqual({
      title: 'Nested',
      category: { title: 'Inner' },
      tags: expect.arrayContaining([{ title: 'a' }, { title: 'b' }]),
      comments: [{ title: 'c' }],
    });
    expect(await patch({ tags: { $remove: [{ id: first?.id }], $add: [{ title: 'd' }] } })).toMatchObject({
      tags: expect.arrayContaining([{ title: first?.title === 'a' ? 'b' : 'a' }, { title: 'd' }]),
    });
    expect(await patch({ tags: { $set: [second?.id] } })).toMatchObject({ tags: [{ title: second?.title }] });
    expect(await patch({ comments: { $remove: [comment?.id] }, category: null })).toMatchObject({
      comments: [],
      category: null,
    });
    expect(await patch({ comments: [{ id: comment?.id }, { title: 'e' }] })).toMatchObject({
      comments: expect.arrayContaining([{ title: 'c' }, { title: 'e' }]),
    });
    expect((await patch({ tags: [] }))['tags']).toEqual([]);
  });

  it('is all or nothing', async () => {
    const before = [await rows('posts'), await rows('tags'), await rows('categorys')];
    const ghost = '00000000-0000-7000-8000-0000000000ff';
    const { body } = await root
      .post('/api/content/post', { title: 'x', category: { title: 'y' }, tags: [{ title: 'z' }, { id: ghost }] })
      .expect(400);
    expect(body.data).toEqual({
      error: 'reference_not_found',
      errors: [{ field: 'tags', code: 'reference_not_found', message: expect.any(String) }],
    });
    expect([await rows('posts'), await rows('tags'), await rows('categorys')]).toEqual(before);
  });

  it('names the unique field, and the remaining references', async () => {
    await make({ title: 'u', slug: 'same' });
    const { body } = await root.post('/api/content/post', { title: 'v', slug: 'same' }).expect(409);
    expect(body.data).toMatchObject({ error: 'unique_violation', errors: [{ field: 'slug' }] });
    expect(JSON.stringify(body)).not.toMatch(/duplicate key|constraint|INSERT/);
    const tag = await root.post('/api/content/tag', { title: 't' }).expect(201);
    await root.delete(`/api/content/tag/${tag.body.data.id}`).expect(200);
    await root.get(`/api/content/tag/${tag.body.data.id}`).expect(404);
  });

  it('deletes so that the record can be restored', async () => {
    const { id } = await make({ title: 'gone' });
    const path = `/api/content/post/${id}`;
    await root.post(`${path}/restore`).expect(404);
    await root.delete(path).expect(200);
    await root.delete(path).expect(404);
    await root.get(path).expect(404);
    await root.patch(path, { title: 'x' }).expect(404);
    expect((await root.get(`${path}?with_deleted=true`).expect(200)).body.data.deleted_at).not.toBeNull();
    const restored = await root.post(`${path}/restore`).expect(200);
    expect(restored.body.data).toMatchObject({ title: 'gone', deleted_at: null });
    await root.get(path).expect(200);
  });

  it('changes only the version that was read (If-Match)', async () => {
    const { id } = await make({ title: 'etag' });
    const path = `/api/content/post/${id}`;
    const etag = (await root.get(path)).headers['etag'] as string;
    await root.patch(path, { views: 1 }).set('if-match', etag).expect(200);
    const { body } = await root.patch(path, { views: 2 }).set('if-match', etag).expect(412);
    expect(body.data.error).toBe('record_changed');
    await root.delete(path).set('if-match', etag).expect(412);
    await root.delete(path).set('if-match', '*').expect(200);
  });

  it('creates a list of records, all or none', async () => {
    const { body } = await root.post('/api/content/tag', [{ title: 'l1' }, { title: 'l2' }]).expect(201);
    expect(body.data.map(({ title }: Json) => title)).toEqual(['l1', 'l2']);
    const before = await rows('tags');
    await root.post('/api/content/tag', [{ title: 'l3' }, { title: 4 }]).expect(400);
    expect(await rows('tags')).toBe(before);
  });

  describe('with rules', () => {
    const draft = "record.status == 'draft'";
    const ownDraft = [
      { resource: 'content.post.*', value: draft, fields: { write: ['title', 'status', 'views', 'category'] } },
      { resource: 'content.category.get', value: "record.title != 'closed'" },
    ];

    it('checks a record before and after the write', async () => {
      const { client } = await personWith(world.app, ownDraft);
      await client.post('/api/content/post', { title: 'p', status: 'published' }).expect(403);
      const made = await client.post('/api/content/post', { title: 'p' }).expect(201);
      const path = `/api/content/post/${made.body.data.id}`;
      await client.patch(path, { title: 'q' }).expect(200);
      await client.patch(path, { status: 'published' }).expect(403);
      await root.patch(path, { status: 'published' }).expect(200);
      await client.patch(path, { title: 'r' }).expect(404);
      await client.delete(path).expect(404);
    });

    it('a replacement empties only fields that the caller may write for that record', async () => {
      const { id } = await make({ title: 'mine', views: 5 });
      const { client } = await personWith(world.app, [
        { resource: 'content.post.get', value: 'allow' },
        { resource: 'content.post.update', value: 'allow', fields: { write: ['title'] } },
        { resource: 'content.post.*', value: "record.title == 'other'", fields: { write: ['title', 'views'] } },
      ]);
      await client.put(`/api/content/post/${id}`, { title: 'new' }).expect(403);
      await client.patch(`/api/content/post/${id}`, { title: 'new' }).expect(200);
      expect((await root.get(`/api/content/post/${id}`)).body.data).toMatchObject({ title: 'new', views: 5 });
    });

    it('writes only named fields, and refers only to readable records', async () => {
      const { client } = await personWith(world.app, ownDraft);
      const { body } = await client.post('/api/content/post', { title: 'p', body: 'x', owner: null }).expect(400);
      const unknown = await client.post('/api/content/post', { title: 'p', bodi: 'x', ownet: null }).expect(400);
      expect(JSON.stringify(body).replace('"body"', '"bodi"').replace('"owner"', '"ownet"')).toBe(
        JSON.stringify(unknown.body),
      );
      const closed = (await root.post('/api/content/category', { title: 'closed' })).body.data.id;
      const open = (await root.post('/api/content/category', { title: 'open' })).body.data.id;
      await client.post('/api/content/post', { title: 'p', category: closed }).expect(400);
      await client.post('/api/content/post', { title: 'p', category: { title: 'mine' } }).expect(400);
      await client.post('/api/content/post', { title: 'p', category: open }).expect(201);
    });
  });
});
