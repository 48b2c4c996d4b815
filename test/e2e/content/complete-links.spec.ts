import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { sendFile } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const titles = (count: number, name = 'tag') =>
  Array.from({ length: count }, (_, at) => ({ title: `${name} ${String(at).padStart(3, '0')}` }));

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' } as const;

describe('records with more links than a response contains', () => {
  const world = useTestApp();
  let root: TestClient;
  let tags: { id: string; title: string }[];

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    tags = (await root.post('/api/content/tags?select=id,title', titles(150)).expect(201)).body.data;
  });

  const ids = (from: number, to: number) => tags.slice(from, to).map(({ id }) => id);

  async function postWith(count: number, more: object = {}): Promise<string> {
    const { body } = await root.post('/api/content/posts', { title: 'p', tags: ids(0, count), ...more }).expect(201);
    return body.data.id as string;
  }

  const countOf = async (id: string, client = root): Promise<number> =>
    (await client.get(`/api/content/tags?filter=${json({ 'posts.id': id })}&limit=1`).expect(200)).body.data.total;

  const read = async (id: string, query: string, client = root) =>
    (await client.get(`/api/content/posts/${id}?${query}`).expect(200)).body.data;

  it.each([
    ['the default limit', 150, 'select=tags.title', 100, ['tags']],
    ['a limit of its own', 150, `select=tags.title&relations=${json({ tags: { limit: 149 } })}`, 149, ['tags']],
    ['a limit that is reached', 150, `select=tags&relations=${json({ tags: { limit: 150 } })}`, 150, undefined],
    ['the greatest limit', 150, `select=tags&relations=${json({ tags: { limit: 1000 } })}`, 150, undefined],
    ['exactly as many links as the limit', 100, 'select=tags', 100, undefined],
    ['one link more than the limit', 101, 'select=tags', 100, ['tags']],
    ['no link', 0, 'select=tags', 0, undefined],
    [
      'a filter',
      150,
      `select=tags&relations=${json({ tags: { filter: { title: { $lt: 'tag 050' } } } })}`,
      50,
      undefined,
    ],
    [
      'an order and a limit',
      150,
      `select=tags.title&relations=${json({ tags: { sort: '-title', limit: 1 } })}`,
      1,
      ['tags'],
    ],
  ])('names an incomplete list, with %s', async (_name, links, query, expected, truncated) => {
    const id = await postWith(links);
    const record = await read(id, query);
    expect(record.tags).toHaveLength(expected);
    expect(record['_truncated']).toEqual(truncated);
    if (query.includes('-title')) expect(record.tags).toEqual([{ title: 'tag 149' }]);
    const { body } = await root.get(`/api/content/posts?filter=${json({ id })}&${query}`).expect(200);
    expect(body.data.items).toEqual([record]);
  });

  it('names incomplete lists at every level', async () => {
    const id = await postWith(3, { comments: titles(2, 'c'), category: { title: 'top', children: titles(3, 'sub') } });
    const relations = { tags: { limit: 2 }, comments: { limit: 1 }, 'tags.posts': { limit: 1 } };
    await postWith(3);
    const one = await read(
      id,
      `select=tags.posts.id,comments.id,category.children&relations=${json({ ...relations, 'category.children': { limit: 2 } })}`,
    );
    expect(one['_truncated'].toSorted()).toEqual(['comments', 'tags']);
    expect(one.category).toEqual({ children: [expect.anything(), expect.anything()], _truncated: ['children'] });
    expect(one.tags[0]).toEqual({ posts: [{ id: expect.any(String) }], _truncated: ['posts'] });
  });

  it('names incomplete lists in responses to writes', async () => {
    const created = await root
      .post('/api/content/posts?select=tags.id', { title: 'new', tags: ids(0, 101) })
      .expect(201);
    expect(created.body.data).toEqual({ tags: expect.any(Array), _truncated: ['tags'] });
    expect(created.body.data.tags).toHaveLength(100);
  });

  const WRITES: [string, (id: string, links: unknown) => Promise<{ status: number; body: unknown }>][] = [
    ['PATCH', (id, links) => root.patch(`/api/content/posts/${id}`, { tags: links })],
    ['PATCH with values', (id, links) => root.patch(`/api/content/posts/${id}`, { title: 'x', views: 3, tags: links })],
    ['PUT', (id, links) => root.put(`/api/content/posts/${id}`, { title: 'x', tags: links })],
    [
      'a batch',
      (id, links) =>
        root.post('/api/batch', { operations: [{ op: 'update', schema: 'post', id, data: { tags: links } }] }),
    ],
    [
      'a batch that refers to an earlier result',
      (id, links) =>
        root.post('/api/batch', {
          operations: [
            { op: 'update', schema: 'post', id, data: { title: 'y' }, as: 'p' },
            { op: 'create', schema: 'category', data: { title: 'c' }, as: 'c' },
            { op: 'update', schema: 'post', id: { $ref: 'p.id' }, data: { category: { $ref: 'c.id' }, tags: links } },
          ],
        }),
    ],
    [
      'a bulk change',
      (id, links) => root.patch(`/api/content/posts?filter=${json({ id })}`, { title: 'b', tags: links }),
    ],
    [
      'a nested new record beside it',
      (id, links) => root.patch(`/api/content/posts/${id}`, { category: { title: 'n' }, tags: links }),
    ],
    [
      'new tags in the list',
      (id, links) =>
        root.patch(`/api/content/posts/${id}`, {
          tags: Array.isArray(links) ? [...links, { title: 'fresh' }] : links,
        }),
    ],
  ];

  describe.each(WRITES)('%s', (_name, write) => {
    it.each([
      ['an empty list', 0],
      ['the list that was read', 100],
      ['the whole list', 150],
    ])('rejects %s as a replacement of 150 links, and changes nothing', async (_list, length) => {
      const id = await postWith(150);
      const before = await read(id, 'select=*');
      const { status, body } = await write(id, ids(0, length));
      const errors = [{ field: expect.stringMatching(/tags$/), code: 'links_truncated', message: expect.any(String) }];
      expect({ status, body }).toMatchObject({ status: 409, body: { data: { error: 'links_truncated', errors } } });
      expect(await read(id, 'select=*')).toEqual(before);
      expect(await countOf(id)).toBe(150);
    });

    it('replaces all links with $set or a list of 100', async () => {
      const id = await postWith(150);
      expect((await write(id, { $set: ids(0, 100) })).status).toBeLessThan(300);
      expect(await countOf(id)).toBe(100);
      expect((await write(id, ids(0, 2))).status).toBeLessThan(300);
      expect(await countOf(id)).toBeLessThan(4);
    });

    it('adds and removes one of 150 links', async () => {
      const id = await postWith(150);
      expect((await write(id, { $remove: ids(149, 150) })).status).toBeLessThan(300);
      expect(await countOf(id)).toBe(149);
      expect((await write(id, { $add: ids(149, 150) })).status).toBeLessThan(300);
      expect(await countOf(id)).toBe(150);
    });
  });

  it('rejects a list that replaces more than 100 records that store the link', async () => {
    const id = await postWith(0, { comments: titles(101, 'c') });
    const { comments } = await read(id, 'select=comments.id');
    await root.patch(`/api/content/posts/${id}`, { comments }).expect(409);
    await root.patch(`/api/content/posts/${id}`, { comments: { $remove: comments.slice(0, 1) } }).expect(200);
    const rest = await read(id, 'select=comments.id');
    expect(rest).toEqual({ comments: expect.any(Array) });
    await root.patch(`/api/content/posts/${id}`, { comments: rest.comments.slice(0, 5) }).expect(200);
    expect((await read(id, 'select=comments.id')).comments).toHaveLength(5);
  });

  it('rejects a list from the other side and over a relation to the same schema', async () => {
    const children = titles(101, 'child');
    const { body } = await root.post('/api/content/categorys', { title: 'parent', children }).expect(201);
    await root.patch(`/api/content/categorys/${body.data.id}`, { children: [] }).expect(409);
    const [tag] = ids(0, 1);
    expect((await root.get(`/api/content/posts?filter=${json({ 'tags.id': tag })}`)).body.data.total).toBeGreaterThan(
      0,
    );
    const posts = (await root.post('/api/content/posts?select=id', titles(101, 'p')).expect(201)).body.data;
    const other = await root.post('/api/content/tags', { title: 'other', posts }).expect(201);
    await root.patch(`/api/content/tags/${other.body.data.id}`, { posts: posts.slice(0, 100) }).expect(409);
  });

  it('keeps links hidden by a rule: a caller who sees 60 of 150 may write back its response', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.tag.*', value: "record.title < 'tag 060'" },
    ]);
    const id = await postWith(150);
    const seen = await read(id, 'select=tags.id', client);
    expect(seen).toEqual({ tags: expect.any(Array) });
    expect(seen.tags).toHaveLength(60);
    await client.patch(`/api/content/posts/${id}`, { tags: seen.tags }).expect(200);
    expect(await countOf(id)).toBe(150);
    await client.patch(`/api/content/posts/${id}`, { tags: seen.tags.slice(1) }).expect(200);
    expect(await countOf(id)).toBe(149);
    await client.patch(`/api/content/posts/${id}`, { tags: { $set: [] } }).expect(200);
    expect(await countOf(id)).toBe(90);
  });

  it('accepts a list of any length for a new record, also nested', async () => {
    const { body } = await root
      .post('/api/content/comments', { title: 'c', post: { title: 'nested', tags: ids(0, 150) } })
      .expect(201);
    const { post_id: id } = (await root.get(`/api/content/comments/${body.data.id}`)).body.data;
    expect(await countOf(id)).toBe(150);
  });

  it.each(['csv', 'ndjson', 'json'] as const)('exports and imports 150 links as %s', async (format) => {
    const title = `moved as ${format}`;
    const id = await postWith(150, { title });
    const exported = await root
      .get(`/api/content/posts/export?format=${format}&select=title,tags.id&filter=${json({ id })}`)
      .buffer(true)
      .expect(200);
    expect(exported.text).not.toContain('_truncated');
    const query = `format=${format}`;
    const { status } = await sendFile(world.app, root, exported.text, { query, type: TYPES[format], name: 'posts' });
    expect(status).toBe(200);
    const found = await root.get(`/api/content/posts?filter=${json({ title })}&select=id`).expect(200);
    expect(found.body.data.items).toHaveLength(2);
    for (const item of found.body.data.items) expect(await countOf(item.id)).toBe(150);
  });

  it.each(['update', 'upsert'])('rejects a list that replaces 150 links in an import with mode=%s', async (mode) => {
    const id = await postWith(150);
    const send = (links: unknown) => {
      const file = { query: `format=ndjson&mode=${mode}`, type: TYPES.ndjson, name: 'posts' };
      return sendFile(world.app, root, JSON.stringify({ id, tags: links }), file);
    };
    const { status, data } = await send(ids(0, 100));
    expect(status).toBe(400);
    expect(data.errors).toEqual([expect.objectContaining({ row: 1, field: 'tags', code: 'links_truncated' })]);
    expect(await countOf(id)).toBe(150);
    expect(await send({ $remove: ids(0, 1) })).toMatchObject({ status: 200 });
    expect(await countOf(id)).toBe(149);
    expect(await send({ $set: ids(0, 7) })).toMatchObject({ status: 200 });
    expect(await countOf(id)).toBe(7);
  });

  it('rejects a list that replaces the users of a role with more than 100', async () => {
    const role = (await root.post('/api/content/roles', { name: 'crowd' }).expect(201)).body.data.id as string;
    const users = Array.from({ length: 101 }, (_, at) => ({ email: `u${at}@example.com`, roles: [role] }));
    await root.post('/api/content/users', users).expect(201);
    const { body } = await root.get(`/api/content/roles/${role}?select=users.id`).expect(200);
    expect(body.data).toEqual({ users: expect.any(Array), _truncated: ['users'] });
    const { status } = await root.patch(`/api/content/roles/${role}`, { users: body.data.users });
    expect([400, 409]).toContain(status);
    const total = await root.get(`/api/content/users?filter=${json({ 'roles.id': role })}&limit=1`);
    expect(total.body.data.total).toBe(101);
  });
});
