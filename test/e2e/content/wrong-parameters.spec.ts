import fc from 'fast-check';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

const GHOST = '00000000-0000-7000-8000-0000000000ff';
const PARAMETERS = [
  'select relations with_deleted filter sort limit page cursor count group sum avg min max'.split(' '),
  'where constructor __proto__ filter[] '.split(' '),
].flat();
/** Every content route, with a valid body. */
const ROUTES: readonly (readonly [Method, string, unknown?])[] = [
  ['get', '/api/content/posts'],
  ['get', `/api/content/posts/${GHOST}`],
  ['get', '/api/content/posts/aggregate'],
  ['post', '/api/content/posts', { title: 'x' }],
  ['post', '/api/content/posts', [{ title: 'x' }]],
  ['patch', `/api/content/posts/${GHOST}`, { title: 'x' }],
  ['put', `/api/content/posts/${GHOST}`, { title: 'x' }],
  ['delete', `/api/content/posts/${GHOST}`],
  ['patch', '/api/content/posts', { views: 1 }],
  ['delete', '/api/content/posts'],
  ['post', `/api/content/posts/${GHOST}/restore`],
  ['post', '/api/batch', { operations: [{ op: 'create', schema: 'tag', data: { title: 'b' } }] }],
];
const NOT_OBJECTS = ['[]', '[1]', 'null', '1', '"x"', 'true', '', '{', '{}x', '[{}]'];
const NAMES = [
  'title',
  'tags',
  'category',
  'owner.email',
  'x',
  'length',
  'filter',
  'toString',
  '__proto__',
  '$and',
  '$search',
];

describe('invalid parameters', () => {
  const world = useTestApp();
  let root: TestClient;
  let person: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makePosts();
    ({ client: person } = await personWith(world.app, [
      { resource: 'content.post.*', value: "record.status == 'draft'" },
      { resource: 'content.tag.*', value: 'allow', fields: { read: ['id'] } },
    ]));
  });

  /** Creates the posts. Repeated before records are read, because a random DELETE may have removed them. */
  const makePosts = () =>
    root.post('/api/content/posts', [{ title: 'a', tags: [{ title: 't' }] }, { title: 'b' }]).expect(201);

  const send = (client: TestClient, [method, path, body]: (typeof ROUTES)[number], query: string) => {
    const address = `${path}?${query}`;
    return method === 'get' || method === 'delete' ? client[method](address) : client[method](address, body ?? {});
  };

  const leaf = fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, '', 'x', '%', 'now', GHOST, '\u0000', '9'.repeat(400)),
    fc.integer(),
    fc.string({ maxLength: 6 }),
  );
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          ...NAMES,
          'limit',
          'sort',
          '$eq',
          '$in',
          '$like',
          '$null',
          '$some',
          '$every',
          '$or',
          '$not',
          '$gt',
        ),
        tie('value'),
        { maxKeys: 3 },
      ),
    ),
  })).value;
  const text = fc.oneof(
    { weight: 3, arbitrary: json.map((value) => encodeURIComponent(JSON.stringify(value))) },
    fc.constantFrom('%00', '%FF', '%ED%A0%80', '*', '-', ',', 'a,b', '-title', 'title,', '1', '0', '-1', '1e3', 'true'),
    fc.string({ maxLength: 8 }).map((value) => encodeURIComponent(value.toWellFormed())),
    fc.constantFrom(...NAMES).map((name) => `${name},-${name}.${name}`),
  );
  const query = fc
    .array(fc.tuple(fc.constantFrom(...PARAMETERS), text), { minLength: 1, maxLength: 4 })
    .map((pairs) => pairs.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&'));

  it('of any shape get a client error; guests get 401', async () => {
    let sent = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), query, async (route, parameters) => {
        for (const client of [root, person]) {
          sent += 1;
          const { status, body } = await send(client, route, parameters);
          expect([200, 201, 400, 403, 404]).toContain(status);
          if (status !== 400) continue;
          refused += 1;
          expect(['query_invalid', 'malformed_request', 'field_invalid']).toContain(body.data.error);
        }
        expect((await send(world.app.asGuest(), route, parameters)).status).toBe(401);
      }),
      { numRuns: 250 },
    );
    expect(refused).toBeGreaterThan(sent / 5);
  });

  it.each(['filter', 'relations'])('%s must be an object with nested objects', async (parameter) => {
    const inner = NOT_OBJECTS.slice(0, 6).flatMap((value) =>
      parameter === 'relations' ? ['x', 'tags', '__proto__'].map((name) => `{"${name}":${value}}`) : [],
    );
    const mixed = ['{"title":[]}', '{"$and":{}}', '{"$not":[]}', '{"tags":{"$some":[]}}', '{"title":{"$in":{}}}'];
    for (const value of [...NOT_OBJECTS, ...inner, ...(parameter === 'filter' ? mixed : [])]) {
      for (const [method, path, body] of ROUTES.filter(
        ([name, , given]) => name !== 'delete' && !Array.isArray(given),
      )) {
        if (path.endsWith('aggregate') && parameter === 'relations') continue;
        const answer = await send(root, [method, path, body], `${parameter}=${encodeURIComponent(value)}`);
        expect([value, method, path, answer.status]).toEqual([value, method, path, 400]);
        expect(answer.body.data.error).toBe('query_invalid');
      }
    }
  });

  it('are all reported in one response, from parsing and from look-up', async () => {
    const wrong = {
      filter: '{"nothing":1,"title":{"$gt":[]},"views":{"$like":"x"}}',
      sort: '-secret,title,other',
      select: 'id,ghost,tags.hue',
      relations: '{"tags":{"limit":0},"comments":{}}',
      limit: '0',
      page: 'x',
      count: 'all',
      with_deleted: 'yes',
      where: '1',
      cursor: 'made-up',
    };
    const search = new URLSearchParams(wrong).toString();
    const { body } = await root.get(`/api/content/posts?${search}`).expect(400);
    const reported = (body.data.errors as { field: string; code: string }[]).map(
      ({ field, code }) => `${field} ${code}`,
    );
    const expected = [
      'nothing unknown_field, title.$gt value_invalid, views operator_unfit',
      'secret unknown_field, other unknown_field, ghost unknown_field, tags.hue unknown_field',
      'relations.tags.limit out_of_range, relations.comments unknown_field',
      'limit out_of_range, page out_of_range, page malformed, count malformed, with_deleted malformed',
      'where unknown_parameter, cursor malformed',
    ];
    expect(reported.sort()).toEqual(expected.flatMap((line) => line.split(', ')).sort());
    const aggregate = 'sum=title,views,ghost&group=status,nothing&count=1&where=1&filter={"x":1}';
    const sums = await root.get(`/api/content/posts/aggregate?${encodeURI(aggregate)}`).expect(400);
    expect(sums.body.data.errors).toHaveLength(6);
    const written = await root
      .post('/api/content/posts?select=ghost,id&where=1&relations=[]', { title: 'x' })
      .expect(400);
    expect(written.body.data.errors).toHaveLength(3);
    const bulk = await root.delete('/api/content/posts?filter={"x":1}&limit=1&sort=title').expect(400);
    expect(bulk.body.data.errors).toHaveLength(3);
  });

  it('lists may be repeated, as generated clients do; other parameters may not', async () => {
    const same = async (path: string, repeated: string, byCommas: string): Promise<void> => {
      const [one, other] = [await root.get(`${path}?${repeated}`), await root.get(`${path}?${byCommas}`)];
      expect([one.status, one.body]).toEqual([200, other.body]);
    };
    await same(
      '/api/content/posts',
      'select=id&select=title,tags&sort=-title&sort=id',
      'select=id,title,tags&sort=-title,id',
    );
    const sums = (names: readonly string[]) => names.map((name) => `${name}=views&${name}=rank`).join('&');
    const listed = (names: readonly string[]) => names.map((name) => `${name}=views,rank`).join('&');
    const made = ['sum', 'avg', 'min', 'max'];
    await same(
      '/api/content/posts/aggregate',
      `count=*&${sums(made)}&group=status&group=category.title`,
      `count=*&${listed(made)}&group=status,category.title`,
    );
    for (const name of ['filter', 'relations', 'limit', 'page', 'cursor', 'count', 'with_deleted']) {
      const { body } = await root.get(`/api/content/posts?${name}=1&${name}=1`).expect(400);
      expect(body.data.errors).toEqual([{ field: name, code: 'repeated_parameter', message: expect.any(String) }]);
    }
    const wrong = await root.get('/api/content/posts?select=ghost&select=title&select=other').expect(400);
    expect(wrong.body.data.errors.map(({ field }: { field: string }) => field)).toEqual(['ghost', 'other']);
  });

  it('a missing required parameter is reported as required, not malformed', async () => {
    for (const [method, path, field] of [
      ['delete', '/api/content/posts', 'filter'],
      ['patch', '/api/content/posts', 'filter'],
      ['get', '/api/content/posts/aggregate', 'count'],
    ] as const) {
      const { body } = await send(root, [method, path, { views: 1 }], '').expect(400);
      expect(body.data.errors).toEqual([{ field, code: 'required', message: expect.any(String) }]);
    }
  });

  it('a relation to one groups by its key, if it is readable', async () => {
    await makePosts();
    const { body } = await root.get('/api/content/posts/aggregate?count=*&group=category,category.id').expect(200);
    expect(body.data.length).toBeGreaterThan(0);
    for (const row of body.data) expect(row['category']).toBe(row['category.id']);
    await root.get('/api/content/posts/aggregate?count=*&group=tags').expect(400);
    await person.get('/api/content/posts/aggregate?count=*&group=category').expect(400);
  });

  it('a cursor error is reported only if it does not belong to the list', async () => {
    await makePosts();
    const first = await root.get('/api/content/posts?sort=title&limit=1&cursor=').expect(200);
    const cursor = encodeURIComponent(first.body.data.next_cursor);
    const wrong = async (more: string) =>
      (await root.get(`/api/content/posts?limit=1&cursor=${cursor}&${more}`).expect(400)).body.data.errors as unknown[];
    expect(await wrong('sort=title&where=1')).toHaveLength(1);
    expect(await wrong('sort=-title&where=1')).toHaveLength(2);
    expect(await wrong('sort=-title')).toHaveLength(1);
  });

  it('a route without parameters rejects all', async () => {
    const { id } = (await root.post('/api/content/tags', { title: 'kept' }).expect(201)).body.data;
    await root.delete(`/api/content/tags/${id}?select=id`).expect(400);
    await root.get(`/api/content/tags/${id}`).expect(200);
    const operations = [{ op: 'delete', schema: 'tag', id }];
    await root.post('/api/batch?select=id', { operations }).expect(400);
    await root.get(`/api/content/tags/${id}`).expect(200);
  });

  it('invalid bodies of any shape get a client error, too', async () => {
    const body = fc.oneof(
      json,
      fc.record({ operations: fc.oneof(json, fc.array(json, { maxLength: 3 })) }),
      fc.record({
        operations: fc.array(
          fc.record({ op: fc.constantFrom('create', 'update', 'delete'), schema: json, id: json, data: json }),
        ),
      }),
      fc.dictionary(fc.constantFrom('title', 'tags', 'category', 'comments', 'owner', 'meta', 'views', 'raw'), json),
    );
    const routes = ROUTES.filter(([method]) => method !== 'get' && method !== 'delete');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), body, async ([method, path], value) => {
        const answer = await send(root, [method, path, value], method === 'patch' ? 'filter={"title":"none"}' : '');
        // A restore takes no body: 422 names its members.
        expect([200, 201, 400, 404, 422]).toContain(answer.status);
      }),
      { numRuns: 250 },
    );
  });
});
