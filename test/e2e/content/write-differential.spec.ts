import fc from 'fast-check';
import { SetWriter } from '../../../src/data/content/write/sets/set-writer.service.js';
import { SingleStatementWriter } from '../../../src/data/content/write/single-statement-writer.service.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;
const GHOST = '00000000-0000-7000-8000-0000000000ff';
const POSTS = '/api/content/posts';
/** 200 cases, in several tests that each have their own timeout. */
const PARTS = [1, 2, 3, 4];
const CASES = 50;

describe('single-statement writes', () => {
  const world = useTestApp();
  let general: TestApp;
  let root: TestClient;
  let made: jest.SpyInstance;
  let changed: jest.SpyInstance;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    for (const title of ['open', 'closed'])
      ids[title] = (await root.post('/api/content/category', { title })).body.data.id;
    for (const title of ['a', 'b', 'c', 'hidden'])
      ids[title] = (await root.post('/api/content/tag', { title })).body.data.id;
    ids['gone'] = (await root.post('/api/content/category', { title: 'gone' })).body.data.id;
    await root.delete(`/api/content/category/${ids['gone']}`).expect(200);
    await root.post(POSTS, { title: 'first', slug: 'taken' }).expect(201);
    general = await world.app.secondInstance();
    const none = general.get(SingleStatementWriter);
    for (const name of ['create', 'change'] as const) jest.spyOn(none, name).mockResolvedValue(null);
    jest.spyOn(none, 'remove').mockResolvedValue(false);
    jest.spyOn(general.get(SetWriter), 'plan').mockReturnValue(null);
  });

  afterAll(async () => {
    await general?.stop();
  });

  describe('equal writes in a transaction', () => {
    const clients: Record<string, readonly [TestClient, TestClient]> = {};

    beforeAll(async () => {
      const write = ['title', 'status', 'views', 'category', 'tags', 'slug', 'comments'];
      const seen = [
        { resource: 'content.category.get', value: "record.title != 'closed'" },
        { resource: 'content.tag.list', value: "record.title != 'hidden'" },
      ];
      const personas = {
        ruled: [{ resource: 'content.post.*', value: "record.status == 'draft'", fields: { write } }, ...seen],
        linked: [{ resource: 'content.post.*', value: "record.category.title == 'open'" }, ...seen],
        tagged: [{ resource: 'content.post.*', value: `'${ids['a']}' in record.tags || record.views == 0` }, ...seen],
        blind: [
          { resource: 'content.post.create', value: 'allow' },
          { resource: 'content.post.update', value: 'record.views < 10' },
        ],
        partial: [
          { resource: 'content.post.*', value: 'allow', fields: { read: ['id', 'title'], write } },
          {
            resource: 'content.post.get',
            value: "record.status == 'published'",
            fields: { read: ['status', 'views'], write },
          },
          ...seen,
        ],
      };
      clients['root'] = [root, new TestClient(general.server, root.token)];
      for (const [name, permissions] of Object.entries(personas)) {
        const { client } = await personWith(world.app, permissions);
        clients[name] = [client, new TestClient(general.server, client.token)];
      }
      made = jest.spyOn(world.app.get(SingleStatementWriter), 'create');
      changed = jest.spyOn(world.app.get(SingleStatementWriter), 'change');
    });

    const mostly = <T, U>(usual: fc.Arbitrary<T>, ...rare: fc.Arbitrary<U>[]): fc.Arbitrary<T | U> =>
      fc.oneof({ weight: 30, arbitrary: usual }, ...rare);
    const id = (...names: string[]) => fc.constantFrom(...names).map((name) => ids[name] ?? name);
    const category = mostly(fc.option(id('open')), id('closed', 'gone', GHOST, 'x'));
    const tag = mostly(id('a', 'b', 'c'), id('hidden', GHOST));
    const tags = mostly(
      fc.oneof(
        fc.array(tag, { maxLength: 4 }),
        fc.record({ $add: fc.array(tag, { maxLength: 2 }), $remove: fc.array(tag, { maxLength: 2 }) }),
        fc.record({ $set: fc.array(tag, { maxLength: 2 }) }),
      ),
      fc.constant([{ title: 'nested' }]),
    );
    const plain = {
      title: mostly(fc.constantFrom('t', "it's", '✓'), fc.constant(5)),
      status: fc.constantFrom('draft', 'published'),
      views: mostly(fc.constantFrom(0, 5, 50), fc.constant('x')),
      big: fc.constantFrom('9007199254740993', 4, null),
      raw: fc.constant('AP8='),
      score: fc.constantFrom(0.1, -3, null),
      meta: fc.constantFrom({ b: 1, a: [null] }, null, 'x'),
      slug: mostly(fc.constant(null), fc.constant('taken')),
      published_at: fc.constant('2026-01-02T03:04:05.678Z'),
      category,
      tags,
    };
    const few = fc.subarray(['title', 'status', 'views', 'category', 'tags'] as const);
    const all = fc.subarray(Object.keys(plain) as (keyof typeof plain)[]);
    const body = fc
      .tuple(fc.record(plain), mostly(few, all), mostly(fc.constant({}), fc.constant({ comments: [{ title: 'c' }] })))
      .map(([values, names, more]): Json => ({
        ...Object.fromEntries(names.map((name) => [name, values[name]])),
        ...more,
      }));
    const select = mostly(
      fc.constantFrom('', '?select=id,title', '?select=title,category.title', '?select=id,tags.title'),
      fc.constant('?select=nothing'),
    );
    const prefer = fc.constantFrom('return=representation', 'return=minimal');
    const persona = fc.constantFrom('root', 'ruled', 'linked', 'tagged', 'blind', 'partial');
    const ifMatch = fc.constantFrom<string | null>(null, null, null, '*', '"1"', 'own', 'own, "2"');

    const comparable = (answer: { status: number; text: string; headers: Json }, own: string) => {
      const text = answer.text
        .replaceAll(own, 'ID')
        .replaceAll(/"(created|updated)_at":"[^"]*"/g, '"$1_at":T')
        .replaceAll(
          /("tags":)(\[[^\]]*\])/g,
          (_all, name: string, list: string) =>
            `${name}${JSON.stringify((JSON.parse(list) as unknown[]).map((entry) => JSON.stringify(entry)).sort())}`,
        );
      const { etag, location, 'preference-applied': applied, 'content-type': type } = answer.headers;
      return {
        status: answer.status,
        text,
        etag: etag !== undefined,
        location: String(location).replace(own, 'ID'),
        applied,
        type,
      };
    };
    const stored = async (own: string) => {
      const [row] = await world.app.sql<{ post: Json; tags: string[] }>(
        `SELECT to_jsonb(p) - 'id' - 'created_at' - 'updated_at' AS post,
           (SELECT json_agg(t.title ORDER BY t.title) FROM posts_tags j JOIN tags t ON t.id = j.tag_id WHERE j.post_id = p.id) AS tags
         FROM posts p WHERE id = $1`,
        [own],
      );
      return row;
    };
    const newest = async () =>
      (await world.app.sql<{ id: string }>('SELECT id FROM posts ORDER BY id DESC LIMIT 1'))[0]?.id ?? '';

    it.each(PARTS)('for new records, part %i', async () => {
      await fc.assert(
        fc.asyncProperty(persona, body, select, prefer, async (who, values, query, preferred) => {
          const outcomes: unknown[] = [];
          for (const client of clients[who] ?? []) {
            const before = await newest();
            const answer = await client
              .post(`${POSTS}${query}`, { title: 'given', ...values })
              .set('prefer', preferred);
            const own = await newest();
            outcomes.push([comparable(answer, own), own === before ? null : await stored(own)]);
          }
          expect(outcomes[0]).toEqual(outcomes[1]);
        }),
        { numRuns: CASES },
      );
    });

    it('for lists of new records', async () => {
      const lists = jest.spyOn(world.app.get(SetWriter), 'writePlanned');
      const slugs = (list: readonly Json[]) =>
        list.map((one) => (one['slug'] === 'taken' ? one : { ...one, slug: null }));
      let cases = 0;
      await fc.assert(
        fc.asyncProperty(persona, fc.array(body, { minLength: 1, maxLength: 4 }), select, async (who, list, query) => {
          cases += 1;
          const outcomes: unknown[] = [];
          for (const client of clients[who] ?? []) {
            const before = await newest();
            const sent = slugs(list).map((values) => ({ title: 'given', ...values }));
            const answer = await client.post(`${POSTS}${query}`, sent);
            const made = await world.app.sql<{ id: string }>('SELECT id FROM posts WHERE id > $1 ORDER BY id', [
              before,
            ]);
            const rows = [];
            for (const { id: own } of made) rows.push(await stored(own));
            const text = made.reduce((all, { id: own }) => all.replaceAll(own, 'ID'), answer.text);
            // Keys of the same millisecond are not ordered.
            const sorted = rows.map((row) => JSON.stringify(row)).sort();
            outcomes.push([comparable({ ...answer, text, headers: {} } as never, 'none'), sorted]);
          }
          expect(outcomes[0]).toEqual(outcomes[1]);
        }),
        { numRuns: 100 },
      );
      // The seed decides how many lists are valid.
      expect(lists.mock.calls.length).toBeGreaterThan(cases / 10);
    });

    it('for records that refer to others of their schema and to themselves', async () => {
      const { client } = await personWith(world.app, [
        { resource: 'content.category.*', value: "record.title != 'closed' && record.parent.title != 'closed'" },
      ]);
      const roots = [root, new TestClient(general.server, root.token)];
      for (const pair of [roots, [client, new TestClient(general.server, client.token)]]) {
        for (const parent of ['open', 'closed', 'gone', 'own', null]) {
          const outcomes: unknown[] = [];
          for (const one of pair) {
            const made = await one.post('/api/content/category', {
              title: 'c',
              parent: parent && (ids[parent] ?? null),
            });
            const own = (await roots[1]?.post('/api/content/category', { title: 'd' }))?.body.data.id as string;
            const to = parent === 'own' ? own : parent && ids[parent];
            const query = '?select=title,parent.title,children.title';
            const changed = await one.patch(`/api/content/category/${own}${query}`, { title: 'e', parent: to });
            outcomes.push([comparable(made, String(made.body.data?.id)), comparable(changed, own)]);
          }
          expect(outcomes[0]).toEqual(outcomes[1]);
        }
      }
    });

    it.each(PARTS)('for changes and replacements, part %i', async () => {
      await fc.assert(
        fc.asyncProperty(
          persona,
          body,
          body,
          select,
          prefer,
          fc.record({ ifMatch, put: fc.boolean() }),
          async (who, start, values, query, preferred, how) => {
            const outcomes: unknown[] = [];
            const begin = {
              title: 'begin',
              views: start['views'] === 'x' ? 1 : start['views'],
              status: start['status'],
              category: ids['open'],
              tags: [ids['a'], ids['hidden']],
            };
            for (const client of clients[who] ?? []) {
              const first = await root.post(POSTS, begin).expect(201);
              const own = first.body.data.id as string;
              const path = `${POSTS}/${own}${query}`;
              const request = (
                how.put ? client.put(path, { title: 'put', ...values }) : client.patch(path, values)
              ).set('prefer', preferred);
              if (how.ifMatch !== null)
                void request.set('if-match', how.ifMatch.replace('own', String(first.headers['etag'])));
              outcomes.push([comparable(await request, own), await stored(own)]);
            }
            expect(outcomes[0]).toEqual(outcomes[1]);
          },
        ),
        { numRuns: CASES },
      );
    });

    it('with one statement in many of these cases', async () => {
      for (const { mock } of [made, changed]) {
        const results = await Promise.all(
          mock.results.map(({ value }) => (value as Promise<unknown>).catch(() => null)),
        );
        // The seed decides how many. The lowest share seen was a third.
        expect(results.filter((result) => result !== null).length).toBeGreaterThan(results.length / 4);
      }
    });
  });
});
