import { makeMagazine } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('reading content', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  const list = (query: Record<string, unknown>) => {
    const text = Object.entries(query).map(([name, value]) => {
      return `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`;
    });
    return root.get(`/api/content/post?${text.join('&')}`);
  };
  const titles = async (filter: unknown) => {
    const { body } = await list({ filter, sort: 'title', select: 'title' }).expect(200);
    return (body.data.items as { title: string }[]).map(({ title }) => title).join('');
  };

  beforeAll(async () => {
    ({ root, rootId } = await makeMagazine(world.app));
    const { app } = world;
    await app.sql(`INSERT INTO categorys (id, title) VALUES ('00000000-0000-7000-8000-0000000000c1', 'News'),
      ('00000000-0000-7000-8000-0000000000c2', 'Sport')`);
    await app.sql(`INSERT INTO tags (id, title) VALUES ('00000000-0000-7000-8000-0000000000a1', 'red'),
      ('00000000-0000-7000-8000-0000000000a2', 'blue')`);
    await app.sql(
      `INSERT INTO posts (id, title, status, views, big, huge, raw, score, published_at, category_id, owner_id, body, deleted_at) VALUES
      ('00000000-0000-7000-8000-000000000001', 'A', 'published', 1, 9007199254740993, 18446744073709551615, '\\x00ff', 0.5,
       '2026-01-02T03:04:05.678Z', '00000000-0000-7000-8000-0000000000c1', $1, 'the quick fox', NULL),
      ('00000000-0000-7000-8000-000000000002', 'B', 'draft', 2, 7, 7, NULL, NULL, NULL, '00000000-0000-7000-8000-0000000000c2', NULL, '100% sure', NULL),
      ('00000000-0000-7000-8000-000000000003', 'C', 'draft', 3, NULL, NULL, NULL, -1, NULL, NULL, NULL, NULL, NULL),
      ('00000000-0000-7000-8000-000000000004', 'D', 'draft', 4, NULL, NULL, NULL, -1, NULL, NULL, NULL, NULL, now())`,
      [rootId],
    );
    await app.sql(`INSERT INTO posts_tags (post_id, tag_id) VALUES
      ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000a1'),
      ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000a2'),
      ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-0000000000a1')`);
  });

  it('returns the example of the specification: the own account, with an access token', async () => {
    const { person, token } = await signedIn(world.app, { username: 'Own.Self' });
    const other = await signedIn(world.app);
    for (const name of ['users', 'user']) {
      const { body } = await world.app.as(token).get(`/api/content/${name}/${person.id}`).expect(200);
      expect(body.data).toMatchObject({ id: person.id, email: person.email, username: 'Own.Self' });
      expect(JSON.stringify(body)).not.toMatch(/password|argon2/);
      await world.app.as(token).get(`/api/content/${name}/${other.person.id}`).expect(404);
      await world.app.as(token).get(`/api/content/${name}/x'--`).expect(404);
    }
    await world.app.as(token).get('/api/content/users').expect(403);
    await world.app.asGuest().get(`/api/content/users/${person.id}`).expect(401);
  });

  it('returns a page with its total, in JSON', async () => {
    const { body, headers } = await list({ sort: 'title', limit: '2' }).expect(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body.data).toMatchObject({ total: 3, per_page: 2, current_page: 1, last_page: 2 });
    expect(body.data.items[0]).toMatchObject({
      id: '00000000-0000-7000-8000-000000000001',
      title: 'A',
      views: 1,
      big: '9007199254740993',
      huge: '18446744073709551615',
      raw: 'AP8=',
      score: 0.5,
      published_at: '2026-01-02T03:04:05.678Z',
      featured: null,
    });
    expect(body.data.items[1]).toMatchObject({ big: 7, huge: 7 });
    expect((await list({ page: '2', limit: '2', sort: 'title' })).body.data.items).toHaveLength(1);
    expect((await list({ count: 'none' })).body.data).toMatchObject({ total: null, last_page: null });
    expect((await list({ count: 'capped' })).body.data).toMatchObject({ total: 3 });
    expect((await list({ with_deleted: 'true' })).body.data.total).toBe(4);
  });

  it('expands relations to any depth', async () => {
    const select = 'title,category.title,tags.title,owner.email,category.posts.title';
    const relations = { tags: { sort: '-title' }, 'category.posts': { limit: 1 } };
    const { body } = await list({ select, relations, sort: 'title' }).expect(200);
    expect(body.data.items[0]).toEqual({
      title: 'A',
      category: { title: 'News', posts: [{ title: 'A' }] },
      tags: [{ title: 'red' }, { title: 'blue' }],
      owner: { email: expect.stringContaining('@') },
    });
    expect(body.data.items[2]).toEqual({ title: 'C', category: null, tags: [], owner: null });
    const one = await root.get('/api/content/posts/00000000-0000-7000-8000-000000000001?select=id,tags').expect(200);
    expect(one.body.data.tags).toHaveLength(2);
  });

  it.each<[unknown, string]>([
    [{}, 'ABC'],
    [{ status: 'draft' }, 'BC'],
    [{ status: { $neq: 'draft' } }, 'A'],
    [{ score: { $neq: 0.5 } }, 'BC'],
    [{ score: null }, 'B'],
    [{ score: { $null: false } }, 'AC'],
    [{ views: { $gte: 2, $lt: 3 } }, 'B'],
    [{ views: { $in: [] } }, ''],
    [{ views: { $nin: [] } }, 'ABC'],
    [{ views: { $nin: [1] } }, 'BC'],
    [{ score: { $in: [null, 0.5] } }, 'AB'],
    [{ big: '9007199254740993' }, 'A'],
    [{ huge: { $gt: '18446744073709551614' } }, 'A'],
    [{ published_at: { $gt: '2026-01-02' } }, 'A'],
    [{ body: { $contains: '0%' } }, 'B'],
    [{ body: { $contains: '_' } }, ''],
    [{ body: { $like: '%quick%' } }, 'A'],
    [{ body: { $notlike: '%quick%' } }, 'BC'],
    [{ body: { $icontains: 'QUICK' } }, 'A'],
    [{ body: { $notcontains: 'quick' } }, 'BC'],
    [{ $search: 'fox' }, 'A'],
    [{ 'category.title': 'News' }, 'A'],
    [{ 'category.title': { $neq: 'News' } }, 'BC'],
    [{ 'category.title': null }, 'C'],
    [{ category: null }, 'C'],
    [{ category: { $neq: null } }, 'AB'],
    [{ category: '00000000-0000-7000-8000-0000000000C1' }, 'A'],
    [{ 'tags.title': 'blue' }, 'A'],
    [{ 'tags.title': { $neq: 'blue' } }, 'BC'],
    [{ tags: null }, 'C'],
    [{ tags: { $none: { title: 'red' } } }, 'C'],
    [{ tags: { $every: { title: 'red' } } }, 'BC'],
    [{ 'category.posts.tags.title': 'blue' }, 'A'],
    [{ $or: [{ views: 1 }, { views: 3 }] }, 'AC'],
    [{ $or: [] }, ''],
    [{ $not: { status: 'draft', views: 2 } }, 'AC'],
    [{ title: "A' OR '1'='1" }, ''],
  ])('filters by %j', async (filter, expected) => {
    expect(await titles(filter)).toBe(expected);
  });

  it('sorts by several keys, over relations and with null values', async () => {
    const { body } = await list({ sort: '-category.title,-views', select: 'title' }).expect(200);
    expect(body.data.items).toEqual([{ title: 'C' }, { title: 'B' }, { title: 'A' }]);
  });

  it.each(['title', '-title', 'score,-title', '-score', 'category.title,title', '-category.title,title'])(
    'pages through all records by cursor, in the order %s',
    async (sort) => {
      const whole = (await list({ sort, select: 'title' })).body.data.items;
      const seen: unknown[] = [];
      let cursor: string | null = '';
      for (let page = 0; page < 5 && cursor !== null; page += 1) {
        const { body } = await list({ sort, cursor, limit: '1', select: 'title' }).expect(200);
        expect(body.data).not.toHaveProperty('total');
        seen.push(...(body.data.items as unknown[]));
        cursor = body.data.next_cursor as string | null;
      }
      expect(seen).toEqual(whole);
    },
  );

  it.each([1, 2, 3, 4])('has no empty page after a full last one, with pages of %i', async (limit) => {
    const { total } = (await list({})).body.data as { total: number };
    const pages: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { data } = (await list({ cursor, limit, relations: {}, select: 'title,tags' }).expect(200)).body as {
        data: { items: unknown[]; next_cursor: string | null };
      };
      pages.push(data.items.length);
      cursor = data.next_cursor;
    }
    expect(pages).toEqual(
      Array.from({ length: Math.ceil(total / limit) }, (_, at) => Math.min(limit, total - at * limit)),
    );
    const nothing = await list({ cursor: '', filter: { title: 'nothing' } }).expect(200);
    expect(nothing.body.data).toMatchObject({ items: [], next_cursor: null });
  });

  it('rejects a cursor of another list', async () => {
    const { body } = await list({ sort: 'title', cursor: '', limit: '1' });
    const cursor = body.data.next_cursor as string;
    await list({ sort: '-title', cursor }).expect(400);
    await list({ sort: 'title', cursor: `x${cursor}` }).expect(400);
    await list({ sort: 'title', cursor: 'W10.W10' }).expect(400);
  });

  it.each<[Record<string, unknown>]>([
    [{ filter: { password: 'x' } }],
    [{ filter: { password_hash: 'x' } }],
    [{ filter: { 'owner.password': { $like: '$%' } } }],
    [{ filter: { 'owner.password_hash': null } }],
    [{ filter: { 'owner.sessions.token': 'x' } }],
    [{ filter: { secret: 'x' } }],
    [{ filter: { meta: 'x' } }],
    [{ filter: { category_id: 'x' } }],
    [{ filter: { nothing: 'x' } }],
    [{ filter: { owner: { $some: { password: 'x' } } } }],
    [{ filter: { __proto__x: 1, constructor: 1 } }],
    [{ sort: 'secret' }],
    [{ sort: 'owner.password' }],
    [{ sort: 'tags.title' }],
    [{ sort: 'id;drop table posts' }],
    [{ select: 'password' }],
    [{ select: 'owner.password' }],
    [{ select: 'owner.email_key' }],
    [{ select: 'tags.posts.owner.password' }],
    [{ relations: { tags: { filter: { title: 1 } } }, select: 'tags' }],
    [{ relations: { tags: { sort: 'nothing' } }, select: 'tags' }],
    [{ relations: { tags: {} } }],
    [{ select: 'tags.posts.comments.title', limit: '100' }],
    [{ select: 'tags.posts.tags.posts.tags.title', limit: '1' }],
    [{ filter: { views: 'x' } }],
    [{ filter: { views: 1.5 } }],
    [{ filter: { published_at: 'yesterday' } }],
    [{ filter: { body: { $like: 'x\\' } } }],
    [{ filter: { views: { $like: '1%' } } }],
  ])('rejects %j', async (query) => {
    const { body } = await list(query).expect(400);
    expect(body.data.error).toBe('query_invalid');
    expect(body.data.errors.length).toBeGreaterThan(0);
  });

  it('does not distinguish a hidden name from an unknown one', async () => {
    const hidden = await list({ filter: { 'owner.password': 'x' }, sort: 'owner.password', select: 'owner.password' });
    const unknown = await list({ filter: { 'owner.passwort': 'x' }, sort: 'owner.passwort', select: 'owner.passwort' });
    expect(JSON.stringify(hidden.body).replaceAll('password', 'passwort')).toBe(JSON.stringify(unknown.body));
    expect(hidden.status).toBe(400);
  });

  it('follows schema changes: a dropped field is unknown in the next request', async () => {
    await root.get('/api/content/tags?select=title,hue').expect(400);
    const { body } = await root.get('/api/schema/tag').expect(200);
    const hue = { type: 'string', name: 'hue', optional: true };
    const definition = body.data as { fields: unknown[] };
    await root.put('/api/schema/tag', { ...definition, fields: [...definition.fields, hue] }).expect(200);
    await root.get('/api/content/tags?select=title,hue').expect(200);
    await root.put('/api/schema/tag?allow_data_loss=true', definition).expect(200);
    await root.get('/api/content/tags?select=title,hue').expect(400);
    await root.get('/api/content/tags').expect(200);
  });

  it('needs one statement for a list with all expansions', async () => {
    await list({ select: 'title,category.title,tags.title' });
    const query = { select: 'title,category.title,tags.title', filter: { 'tags.title': 'red' }, sort: '-views' };
    const texts = (await statementsOf(() => list(query).expect(200))).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('"posts"'))).toHaveLength(1);
    expect(texts.filter((text) => !/sessions|change_notices|schema_versions/.test(text))).toHaveLength(1);
  });
});
