import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const id = (digit: string) => `00000000-0000-7000-8000-00000000000${digit}`;
const query = (parameters: Record<string, unknown>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&');

describe('content permissions', () => {
  const world = useTestApp();
  let root: TestClient;
  const everyPost = { resource: 'content.post.*', value: 'allow' };

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await world.app.sql(`INSERT INTO categorys (id, title) VALUES ($1, 'open'), ($2, 'closed')`, [id('a'), id('b')]);
    await world.app.sql(
      `INSERT INTO posts (id, title, status, views, category_id) VALUES
       ($1, 'A', 'published', 1, $4), ($2, 'B', 'draft', 2, $5), ($3, 'C', 'published', 3, $5)`,
      [id('1'), id('2'), id('3'), id('a'), id('b')],
    );
    await world.app.sql(`INSERT INTO comments (id, title, post_id) VALUES ($1, 'x', $2), ($3, 'y', $4)`, [
      id('c'),
      id('1'),
      id('d'),
      id('2'),
    ]);
  });

  const titlesOf = async (client: TestClient, parameters: Record<string, unknown> = {}) => {
    const { body } = await client.get(`/api/content/posts?${query({ sort: 'title', ...parameters })}`).expect(200);
    return (body.data.items as { title: string }[]).map(({ title }) => title).join('');
  };

  it('returns nothing without a permission, whether or not the record exists', async () => {
    const { token } = await signedIn(world.app);
    for (const name of ['posts', 'post', 'nothing', 'constructor', '__proto__', 'users%00']) {
      const guest = await world.app.asGuest().get(`/api/content/${name}`).expect(401);
      expect(guest.body.data).toEqual({ error: 'token_missing' });
      const { body } = await world.app.as(token).get(`/api/content/${name}`).expect(403);
      expect(body.data).toEqual({ error: 'permission_denied' });
    }
    await root.get('/api/content/nothing').expect(404);
  });

  it('apply a rule to lists, totals, single records and cursors; a filter does not widen it', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: "record.status == 'published'" },
    ]);
    expect(await titlesOf(client)).toBe('AC');
    expect((await client.get('/api/content/posts')).body.data.total).toBe(2);
    expect((await client.get('/api/content/posts?count=capped')).body.data.total).toBe(2);
    await client.get(`/api/content/posts/${id('2')}`).expect(404);
    const widening = [
      { $or: [{ status: 'draft' }, { title: { $neq: 'nothing' } }] },
      { $not: { status: 'published' } },
      { $or: [] },
      { status: { $nin: [] } },
    ];
    for (const filter of widening) expect(await titlesOf(client, { filter })).not.toContain('B');
    expect(await titlesOf(client, { cursor: '', limit: '5' })).toBe('AC');
  });

  it('combine several roles and permissions; deny wins', async () => {
    const rules = [
      { resource: 'content.post.list', value: 'record.views == 1' },
      { resource: 'content.post.*', value: "record.title in ['C']" },
    ];
    expect(await titlesOf((await personWith(world.app, rules)).client)).toBe('AC');
    const denied = await personWith(world.app, [...rules, { resource: 'content.*', value: 'deny' }]);
    await denied.client.get('/api/content/posts').expect(403);
  });

  it.each([
    "record.title.matches('^(a+)+$')",
    'record.tags.exists(t, t.title == "x")',
    'record.nothing == 1',
    'record.owner.password == "x"',
    'record.title + "x" == "Ax"',
    'size(record.title) == 1',
    'auth.username == ""',
    'not an expression',
    '1 + 1',
    'record.views == "1"',
  ])('deny access if a rule cannot be translated: %s', async (value) => {
    const { client } = await personWith(world.app, [{ resource: 'content.post.*', value }]);
    await client.get('/api/content/posts').expect(403);
  });

  it('treat an empty reference as no account, for every caller', async () => {
    const rule = [{ resource: 'content.post.list', value: 'record.owner == auth.id || record.owner.id == auth.id' }];
    const { client, id: own } = await personWith(world.app, rule);
    expect(await titlesOf(client)).toBe('');
    await root.patch(`/api/content/posts/${id('1')}`, { owner: own }).expect(200);
    expect(await titlesOf(client)).toBe('A');
    await root.patch(`/api/content/posts/${id('1')}`, { owner: null }).expect(200);
  });

  it('evaluate rules over relations', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: "record.category.title == 'open' || record.views > 2" },
    ]);
    expect(await titlesOf(client)).toBe('AC');
    const member = await personWith(world.app, [
      { resource: 'content.post.list', value: `'${id('d')}' in record.comments` },
    ]);
    expect(await titlesOf(member.client)).toBe('B');
  });

  it('apply the rules of the target schema at every hop: expanded, filtered, sorted', async () => {
    const { client } = await personWith(world.app, [
      everyPost,
      { resource: 'content.category.*', value: "record.title == 'open'" },
    ]);
    const { body } = await client.get(`/api/content/posts?sort=title&select=title,category.title`).expect(200);
    expect(body.data.items.map((item: { category: unknown }) => item.category)).toEqual([
      { title: 'open' },
      null,
      null,
    ]);
    expect(await titlesOf(client, { filter: { 'category.title': 'closed' } })).toBe('');
    expect(await titlesOf(client, { filter: { category: id('b') } })).toBe('');
    expect(await titlesOf(client, { filter: { 'category.title': { $like: 'c%' } } })).toBe('');
    expect(await titlesOf(client, { sort: 'category.title,-title' })).toBe('ACB');
    const posts = await client.get(`/api/content/categories/${id('a')}`);
    expect(posts.status).toBe(403);
  });

  it('treat a schema that cannot be read over a relation as unknown', async () => {
    const { client } = await personWith(world.app, [everyPost]);
    for (const [real, fake] of [
      ['category', 'categora'],
      ['comments', 'commentz'],
      ['owner', 'ownex'],
    ]) {
      for (const template of [
        'select=id,NAME.title',
        'sort=NAME.title',
        'filter={"NAME.title":"x"}',
        'select=NAME',
        'filter={"NAME":null}',
        'filter={"NAME":{"$some":{}}}',
        'relations={"NAME":{}}',
      ]) {
        const hidden = await client.get(`/api/content/posts?${encodeURI(template.replaceAll('NAME', String(real)))}`);
        const unknown = await client.get(`/api/content/posts?${encodeURI(template.replaceAll('NAME', String(fake)))}`);
        expect(hidden.status).toBe(400);
        expect(JSON.stringify(hidden.body).replaceAll(String(real), String(fake))).toBe(JSON.stringify(unknown.body));
      }
    }
  });

  it('treat fields outside the permission as unknown in reads, filters, sorts and searches', async () => {
    const fields = { read: ['id', 'title', 'category'] };
    const { client } = await personWith(world.app, [{ ...everyPost, fields }]);
    const { body } = await client.get('/api/content/posts?sort=title').expect(200);
    expect(Object.keys(body.data.items[0])).toEqual(['id', 'title']);
    for (const template of ['select=NAME', 'sort=-NAME', 'filter={"NAME":1}', 'filter={"$not":{"NAME":1}}']) {
      const hidden = await client.get(`/api/content/posts?${encodeURI(template.replace('NAME', 'views'))}`);
      const unknown = await client.get(`/api/content/posts?${encodeURI(template.replace('NAME', 'viewz'))}`);
      expect(hidden.status).toBe(400);
      expect(JSON.stringify(hidden.body).replaceAll('views', 'viewz')).toBe(JSON.stringify(unknown.body));
    }
    await client.get('/api/content/posts?filter={"$search":"x"}').expect(400);
  });

  it('show a field that only one permission includes for its records only, and null elsewhere', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow', fields: { read: ['id', 'title'] } },
      { resource: 'content.post.*', value: "record.status == 'published'" },
    ]);
    const { body } = await client.get('/api/content/posts?sort=title&select=title,views').expect(200);
    expect(body.data.items).toEqual([
      { title: 'A', views: 1 },
      { title: 'B', views: null },
      { title: 'C', views: 3 },
    ]);
    expect(await titlesOf(client, { filter: { views: 2 } })).toBe('');
    expect(await titlesOf(client, { filter: { views: { $gt: 0 } } })).toBe('AC');
    expect(await titlesOf(client, { filter: { views: { $neq: 2 } } })).toBe('ABC');
    expect(await titlesOf(client, { sort: '-views,title' })).toBe('BCA');
  });

  it('show deleted records only to callers who may restore them', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow' },
      { resource: 'content.post.get', value: 'allow' },
    ]);
    await client.get('/api/content/posts?with_deleted=true').expect(403);
    await client.get(`/api/content/posts/${id('1')}?with_deleted=true`).expect(403);
    await client.post('/api/content/posts', { title: 'x' }).expect(403);
    await client.patch(`/api/content/posts/${id('1')}`, {}).expect(403);
    await client.delete(`/api/content/posts/${id('1')}`).expect(403);
    await client.post(`/api/content/posts/${id('1')}/restore`).expect(403);
  });

  it('show only restorable deleted records, in lists, totals, pages and single records', async () => {
    const made = ['gone A', 'gone B'].map(
      async (title) => (await root.post('/api/content/posts', { title })).body.data.id,
    );
    const [mine, theirs] = await Promise.all(made);
    for (const own of [mine, theirs]) await root.delete(`/api/content/posts/${own}`).expect(200);
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow' },
      { resource: 'content.post.get', value: 'allow' },
      { resource: 'content.post.aggregate', value: 'allow' },
      { resource: 'content.post.restore', value: "record.title == 'gone A'" },
      { resource: 'content.category.*', value: 'allow' },
    ]);
    expect(await titlesOf(client, { with_deleted: 'true' })).toBe('ABCgone A');
    expect(await titlesOf(client, { with_deleted: 'true', filter: { title: { $like: 'gone%' } } })).toBe('gone A');
    expect(await titlesOf(client, { with_deleted: 'true', filter: { deleted_at: { $neq: null } } })).toBe('gone A');
    for (const count of ['exact', 'capped']) {
      const { body } = await client.get(`/api/content/posts?with_deleted=true&count=${count}`).expect(200);
      expect(body.data.total).toBe(4);
    }
    const page = await client.get('/api/content/posts?with_deleted=true&cursor=&limit=3&sort=title').expect(200);
    const next = `with_deleted=true&limit=3&sort=title&cursor=${page.body.data.next_cursor}`;
    expect((await client.get(`/api/content/posts?${next}`).expect(200)).body.data.items).toHaveLength(1);
    await client.get(`/api/content/posts/${mine}?with_deleted=true`).expect(200);
    await client.get(`/api/content/posts/${theirs}?with_deleted=true`).expect(404);
    await client.get(`/api/content/posts/${mine}`).expect(404);
    await client.post(`/api/content/posts/${theirs}/restore`).expect(404);
    expect((await client.get('/api/content/posts/aggregate?count=*').expect(200)).body.data).toEqual([{ count: 3 }]);
    await root.patch(`/api/content/posts/${id('1')}`, { category: id('a') }).expect(200);
    await world.app.sql('UPDATE posts SET category_id = $1 WHERE id = ANY($2)', [id('a'), [mine, theirs]]);
    const over = `/api/content/category/${id('a')}?with_deleted=true&select=posts.title`;
    expect((await root.get(over).expect(200)).body.data).toEqual({ posts: [{ title: 'A' }] });
    await world.app.sql('DELETE FROM posts WHERE id = ANY($1)', [[mine, theirs]]);
  });

  it('a cursor does not reveal the keys in it', async () => {
    const { client } = await personWith(world.app, [{ ...everyPost, fields: { read: ['title'] } }]);
    const { body } = await client.get('/api/content/posts?sort=title&limit=1&cursor=').expect(200);
    const cursor = String(body.data.next_cursor);
    for (const part of [cursor, ...cursor.split(/[.~:]/)])
      for (const encoding of ['base64url', 'hex', 'latin1'] as const) {
        const text = Buffer.from(part, encoding).toString('latin1');
        expect(text).not.toMatch(/"A"|0000-7000|00000001/);
      }
    const again = await client.get('/api/content/posts?sort=title&limit=1&cursor=').expect(200);
    expect(again.body.data.next_cursor).not.toBe(cursor);
    const titles = async (text: string) =>
      (await client.get(`/api/content/posts?sort=title&limit=1&cursor=${text}`)).body.data.items as unknown;
    expect(await titles(cursor)).toEqual([{ title: 'B' }]);
    const flipped = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'BB' : 'AA'}`;
    for (const text of [flipped, `${cursor}A`, `${cursor}.`, cursor.slice(1), 'AAAA'])
      await client.get(`/api/content/posts?sort=title&limit=1&cursor=${text}`).expect(400);
  });

  it('links stored in other records need permission to change those records', async () => {
    const { client } = await personWith(world.app, [
      everyPost,
      { resource: 'content.comment.list', value: 'allow' },
      { resource: 'content.comment.update', value: "record.title == 'x'" },
    ]);
    await client.patch(`/api/content/posts/${id('3')}`, { comments: { $add: [id('d')] } }).expect(400);
    await client.patch(`/api/content/posts/${id('2')}`, { comments: [] }).expect(403);
    await client.patch(`/api/content/posts/${id('3')}`, { comments: { $add: [id('c')] } }).expect(200);
    const { client: reader } = await personWith(world.app, [
      everyPost,
      { resource: 'content.comment.list', value: 'allow' },
    ]);
    await reader.patch(`/api/content/posts/${id('3')}`, { comments: { $add: [id('c')] } }).expect(400);
  });

  it('a change of permissions applies to the next request', async () => {
    const { client, id: person } = await personWith(world.app, [everyPost]);
    await client.get('/api/content/posts').expect(200);
    const own = await root.get(`/api/content/users/${person}?select=roles.permissions.id`).expect(200);
    await root.delete(`/api/content/permissions/${own.body.data.roles[0].permissions[0].id}`).expect(200);
    await client.get('/api/content/posts').expect(403);
  });
});
