import { randomUUID } from 'node:crypto';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;
const POSTS = '/api/content/posts';

describe('lists of new records', () => {
  const world = useTestApp();
  let root: TestClient;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    for (const title of ['open', 'closed'])
      ids[title] = (await root.post('/api/content/category', { title }).expect(201)).body.data.id;
    for (const title of ['a', 'b', 'c', 'hidden'])
      ids[title] = (await root.post('/api/content/tag', { title }).expect(201)).body.data.id;
    const counters = [
      schema('lamp', [relation('socket', 'socket', 'lamp', 'o2o')]),
      schema('socket', [relation('lamp', 'lamp', 'socket', 'o2o', { owner: true })]),
      schema('ticket', [field('int', 'number', { db: { increment: true } })], { primary_field: 'number' }),
      schema(
        'node',
        [
          field('string', 'code'),
          relation('parent', 'node', 'children', 'm2o'),
          relation('children', 'node', 'parent', 'o2m', { owner: true }),
        ],
        { primary_field: 'code' },
      ),
    ];
    await root.post('/api/schema', { schemas: counters }).expect(201);
  });

  const count = async () => (await world.app.sql<{ count: number }>('SELECT count(*)::int FROM posts'))[0]?.count;
  const asked = async (work: () => Promise<unknown>) =>
    (await statementsOf(work)).filter(({ text }) => /"(posts|categorys|tags|posts_tags)"/.test(text)).length;

  it('need one statement for each kind of link, independent of their length', async () => {
    const post = (_: unknown, at: number) => ({
      title: `post ${at}`,
      slug: `slug-${at}`,
      category: at % 2 === 0 ? ids['open'] : { id: ids['closed'] },
      tags: [ids['a'], ids['b'], ids['c']],
      comments: [],
    });
    const list = Array.from({ length: 500 }, post);
    expect(await asked(() => root.post(`${POSTS}?select=id,title`, list).expect(201))).toBeLessThan(8);
    const { body } = await root.get(`${POSTS}?limit=100&sort=title&select=title,category.title,tags.title`).expect(200);
    expect(body.data.total).toBe(500);
    expect(body.data.items[1]).toMatchObject({ title: 'post 1', category: { title: 'closed' } });
    for (const { tags } of body.data.items as { tags: unknown[] }[]) expect(tags).toHaveLength(3);
    const all = encodeURIComponent('{}');
    expect(await asked(() => root.patch(`${POSTS}?filter=${all}`, { views: 3 }).expect(200))).toBeLessThan(6);
    expect((await root.delete(`${POSTS}?filter=${all}`).expect(200)).body.data).toEqual({ count: 500 });
  });

  it('also with nested records and links stored in other records', async () => {
    const { body } = await root.post(
      `${POSTS}?select=id`,
      Array.from({ length: 60 }, () => ({ title: 'loose' })),
    );
    const loose = (body.data as { id: string }[]).map(({ id }) => id);
    const nesting = (at: number): Json => ({
      title: `nesting ${at}`,
      parent: { title: `parent ${at}` },
      posts: [
        loose[at],
        { title: `one ${at}`, tags: [ids['a'], { title: `tag ${at}` }], comments: [{ title: `said ${at}` }] },
        { title: `two ${at}`, tags: [ids['b']], comments: [{ title: `more ${at}` }, { title: `last ${at}` }] },
      ],
    });
    const few = await asked(() => root.post('/api/content/category', [nesting(0), nesting(1)]).expect(201));
    const list = Array.from({ length: 50 }, (_, at) => nesting(at + 2));
    expect(await asked(() => root.post('/api/content/category', list).expect(201))).toBe(few);
    expect(few).toBeLessThan(16);
    const select = 'select=title,parent.title,posts.title,posts.tags.title,posts.comments.title';
    const found = await root.get(`/api/content/category?limit=1&${select}&filter={"title":"nesting 9"}`).expect(200);
    const [record] = found.body.data.items as { parent: Json; posts: { title: string; tags: []; comments: [] }[] }[];
    expect(record?.parent).toEqual({ title: 'parent 9' });
    const posts = record?.posts.toSorted((one, other) => one.title.localeCompare(other.title));
    expect(posts?.map(({ title, tags, comments }) => [title, tags.length, comments.length])).toEqual([
      ['loose', 0, 0],
      ['one 9', 2, 1],
      ['two 9', 1, 2],
    ]);
    const all = encodeURIComponent('{}');
    await root.delete(`${POSTS}?filter=${all}`).expect(200);
  });

  it('also as similar neighbouring operations of a batch', async () => {
    const batch = async (operations: unknown[]) =>
      (await root.post('/api/batch', { operations }).expect(200)).body.data;
    const each = (length: number, one: (at: number) => Json) => Array.from({ length }, (_, at) => one(at));
    const create = () => ({
      op: 'create',
      schema: 'post',
      data: { title: 'x', category: ids['open'], tags: [ids['a']] },
    });
    const made = (await batch(each(50, create))).map(({ id }: Json) => id);
    const data = (at: number) => ({ title: `now ${at}`, category: at % 2 === 0 ? ids['closed'] : null });
    const kinds = {
      create,
      update: (at: number) => ({ op: 'update', schema: 'posts', id: made[at], data: data(at) }),
      remove: (at: number) => ({ op: 'delete', schema: 'post', id: made[at] }),
    };
    expect(await asked(() => batch(each(50, kinds.create)))).toBeLessThan(8);
    expect(await asked(() => batch(each(50, kinds.update)))).toBeLessThan(8);
    const { body } = await root.get(`${POSTS}/${made[48]}?select=title,category.title`).expect(200);
    expect(body.data).toEqual({ title: 'now 48', category: { title: 'closed' } });
    const mixed = [
      ...each(10, kinds.create),
      { ...create(), as: 'first' },
      { op: 'update', schema: 'post', id: { $ref: 'first.id' }, data: { views: 1 } },
      ...each(10, kinds.update),
      ...each(10, kinds.remove),
    ];
    expect(await asked(() => batch(mixed))).toBeLessThan(30);
    expect(await asked(() => batch(each(40, (at) => kinds.remove(at + 10))))).toBeLessThan(6);
    await root.get(`${POSTS}/${made[49]}`).expect(404);
  });

  it('change unique references in the order of the operations', async () => {
    const make = async (name: string, body: Json) =>
      (await root.post(`/api/content/${name}`, body).expect(201)).body.data.id as string;
    const sockets = [await make('socket', { title: 's' }), await make('socket', { title: 's' })];
    const lamps: string[] = [];
    for (const socket of sockets) lamps.push(await make('lamp', { title: 'l', socket }));
    const change = (at: number, socket: unknown) => ({ op: 'update', schema: 'lamp', id: lamps[at], data: { socket } });
    for (const [one, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const operations = [change(one, sockets[other]), change(other, null)];
      const { body } = await root.post('/api/batch', { operations }).expect(409);
      expect(body.data).toMatchObject({ error: 'unique_violation', operation: 0 });
    }
    await root.post('/api/batch', { operations: [change(1, null), change(0, sockets[1])] }).expect(200);
  });

  it('name the invalid operation of a batch', async () => {
    const before = await count();
    const { body } = await root.post(POSTS, { title: 'here', slug: 'here' }).expect(201);
    const wrong: [Json, number, string][] = [
      [{ op: 'create', schema: 'post', data: { title: 'x', slug: 'here' } }, 409, 'unique_violation'],
      [{ op: 'create', schema: 'post', data: { title: 'x', category: randomUUID() } }, 400, 'reference_not_found'],
      [{ op: 'create', schema: 'post', data: { title: 5 } }, 400, 'field_invalid'],
      [{ op: 'create', schema: 'post', data: { title: { $ref: 'nothing.id' } } }, 400, 'field_invalid'],
      [{ op: 'update', schema: 'post', id: randomUUID(), data: { title: 'x' } }, 404, 'record_not_found'],
      [{ op: 'delete', schema: 'post', id: randomUUID() }, 404, 'record_not_found'],
    ];
    for (const [one, status, error] of wrong) {
      const good = { op: 'create', schema: 'post', data: { title: 'good' } };
      const similar = one['op'] === 'create' ? good : { ...one, id: body.data.id };
      for (const at of [0, 3, 7]) {
        const operations = Array.from({ length: 8 }, (_, place) => (place === at ? one : place < at ? similar : good));
        if (one['op'] === 'delete' && at > 0) operations.splice(1, at - 1, ...Array<Json>(at - 1).fill(good));
        const answer = await root.post('/api/batch', { operations });
        expect([answer.status, answer.body.data]).toEqual([status, expect.objectContaining({ error, operation: at })]);
      }
    }
    expect(await count()).toBe((before ?? 0) + 1);
    await root.delete(`${POSTS}/${body.data.id}`).expect(200);
  });

  it('also with an idempotency key', async () => {
    const data = { title: 'keyed', category: ids['open'], tags: [ids['a'], ids['b']] };
    const key = () => randomUUID();
    expect(await asked(() => root.post(POSTS, data).set('idempotency-key', key()).expect(201))).toBe(1);
    const operations = Array.from({ length: 20 }, () => ({ op: 'create', schema: 'post', data }));
    const { body } = await root.post('/api/batch', { operations }).expect(200);
    const made = (body.data as { id: string }[]).map(({ id }) => id);
    const changes = [
      { op: 'update', schema: 'post', id: made[0], data: { title: 'x', tags: { $remove: [ids['a']] } } },
      { op: 'delete', schema: 'tag', id: ids['c'] },
    ];
    expect(await asked(() => root.post('/api/batch', { operations: changes }).expect(200))).toBe(4); // two of them lock in a fixed order
    ids['c'] = (await root.post('/api/content/tag', { title: 'c' }).expect(201)).body.data.id;
    const path = `${POSTS}/${made[0]}`;
    expect(await asked(() => root.patch(path, { views: 1 }).set('idempotency-key', key()).expect(200))).toBe(1);
  });

  it('return the records in order, with every type of value as in a single request', async () => {
    const values: Json[] = [
      { title: 'NULL', raw: 'AP8=', meta: { a: ['"', '\\', null, '{}'] }, big: '9007199254740993', score: 0.1 },
      {
        title: '{"a",b}',
        raw: null,
        meta: null,
        published_at: '2026-01-02T03:04:05.678Z',
        huge: '18446744073709551615',
      },
      { title: "it's \\ ✓", meta: 'null', featured: false, secret: '', score: -3 },
      { title: ' ', meta: [[1], [2, 3]], featured: true, views: 7, published_at: null },
      { title: 'plain' },
    ];
    const alone: Json[] = [];
    for (const body of values) alone.push((await root.post(POSTS, body).expect(201)).body.data);
    const together = (await root.post(POSTS, [...values].reverse()).expect(201)).body.data as Json[];
    const own = { id: null, created_at: null, updated_at: null };
    const bare = (rows: Json[]) => rows.map((row) => ({ ...row, ...own }));
    expect(bare(together)).toEqual(bare(alone).reverse());
    const keys = together.map(({ id }) => String(id));
    expect(keys).toEqual([...keys].sort());
    const list = Array.from({ length: 300 }, (_, at) => ({ title: `ticket ${at}` }));
    const tickets = (await root.post('/api/content/ticket', list).expect(201)).body.data as {
      number: number;
      title: string;
    }[];
    const first = tickets[0]?.number ?? 0;
    expect(tickets).toEqual(list.map(({ title }, at) => expect.objectContaining({ title, number: first + at })));
  });

  it('report all errors with their paths and create nothing', async () => {
    const before = await count();
    const errors = async (list: unknown[], status: number) => {
      const { body } = await root.post(POSTS, list).expect(status);
      expect(await count()).toBe(before);
      return (body.data.errors as { field: string; code: string }[]).map(({ field: name, code }) => [name, code]);
    };
    const good = { title: 'good', tags: [ids['a']] };
    expect(
      await errors([good, { title: 5 }, 7, good, { nothing: 1, title: 't' }, { title: 't', tags: [true] }, {}], 400),
    ).toEqual([
      ['records[1].title', 'value_invalid'],
      ['records[2]', 'body_invalid'],
      ['records[2].title', 'required'],
      ['records[4].nothing', 'unknown_field'],
      ['records[5].tags[0]', 'reference_invalid'],
      ['records[6].title', 'required'],
    ]);
    expect(await errors([good, { ...good, tags: [ids['a'], randomUUID()] }], 400)).toEqual([
      ['records[1].tags', 'reference_not_found'],
    ]);
    expect(await errors([good, good, { ...good, category: randomUUID() }], 400)).toEqual([
      ['records[2].category', 'reference_not_found'],
    ]);
    expect(await errors([good, { ...good, comments: [{ title: 9 }] }], 400)).toEqual([
      ['records[1].comments[0].title', 'value_invalid'],
    ]);
    const twice = [
      { ...good, slug: 'twice' },
      { ...good, slug: 'twice' },
    ];
    expect(await errors(twice, 409)).toEqual([['records[1].slug', 'unique_violation']]);
  });

  it('may refer to earlier records of the list', async () => {
    const list = [
      { title: 'top', code: 'top' },
      { title: 'middle', code: 'middle', parent: 'top' },
      { title: 'leaf', code: 'leaf', parent: { code: 'middle' } },
    ];
    await root.post('/api/content/node', [...list].reverse()).expect(400);
    const { body } = await root.post('/api/content/node?select=code,parent.code', list).expect(201);
    expect(body.data).toEqual([
      { code: 'top', parent: null },
      { code: 'middle', parent: { code: 'top' } },
      { code: 'leaf', parent: { code: 'middle' } },
    ]);
    const taken = [
      { title: 'taken', code: 'taken' },
      { title: 'taker', code: 'taker', children: ['taken'] },
    ];
    for (const lists of [[...taken].reverse(), [{ ...taken[0], code: 'other' }, ...[...taken].reverse()]])
      await root.post('/api/content/node', lists).expect(400);
    const operations = taken.map((data) => ({ op: 'create', schema: 'node', data }));
    const refused = await root.post('/api/batch', { operations: [...operations].reverse() }).expect(400);
    expect(refused.body.data).toMatchObject({ error: 'reference_not_found', operation: 0 });
    await root.post('/api/batch', { operations }).expect(200);
  });

  it.each([
    ['of the record', "record.status == 'draft'", { status: 'draft' }, { status: 'published' }],
    ['over a reference', "record.category.title == 'open'", { category: 'open' }, { category: 'closed' }],
    ['over links', `record.views == 0`, { views: 0, tags: ['a'] }, { views: 1, tags: ['a'] }],
  ])('are checked record by record with a rule %s', async (_, rule, right, wrong) => {
    const known = (body: Json): Json => ({
      title: 'ruled',
      ...body,
      ...('category' in body ? { category: ids[String(body['category'])] } : {}),
      ...('tags' in body ? { tags: [ids['a']] } : {}),
    });
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: rule },
      { resource: 'content.category.*', value: 'allow' },
      { resource: 'content.tag.*', value: "record.title != 'hidden'" },
    ]);
    const before = (await count()) ?? 0;
    await client.post(POSTS, [known(right), known(wrong), known(right)]).expect(403);
    await client.post(POSTS, [known(right), { ...known(right), tags: [ids['hidden']] }]).expect(400);
    expect(await count()).toBe(before);
    await client.post(POSTS, [known(right), known(right)]).expect(201);
    expect(await count()).toBe(before + 2);
  });
});
