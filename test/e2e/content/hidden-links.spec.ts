import { SingleStatementWriter } from '../../../src/data/content/write/single-statement-writer.service.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';
import { TestClient } from '../../support/test-client.js';

const SCHEMAS = [
  schema('post', [
    relation('tags', 'tag', 'posts', 'm2m', { owner: true }),
    relation('parts', 'part', 'post', 'o2m', { owner: true }),
    relation('cover', 'cover', 'post', 'o2o', { owner: true }),
  ]),
  schema('tag', [relation('posts', 'post', 'tags', 'm2m')]),
  schema('part', [relation('post', 'post', 'parts', 'm2o')]),
  schema('cover', [relation('post', 'post', 'cover', 'o2o')]),
];

describe('links to records that the caller cannot read', () => {
  const world = useTestApp();
  let general: TestApp;
  let root: TestClient;
  let person: TestClient;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    await root.post('/api/schema', { schemas: SCHEMAS }).expect(201);
    const seen = ['tag', 'part', 'cover'].flatMap((name) =>
      ['list', 'get', 'update', 'create'].map((action) => ({
        resource: `content.${name}.${action}`,
        value: action === 'list' || action === 'get' ? "record.title != 'hidden'" : 'allow',
      })),
    );
    ({ client: person } = await personWith(world.app, [{ resource: 'content.post.*', value: 'allow' }, ...seen]));
    for (const kind of ['tag', 'part'])
      for (const title of ['open', 'other', 'hidden', 'gone'])
        ids[`${kind} ${title}`] = (await root.post(`/api/content/${kind}`, { title }).expect(201)).body.data.id;
    general = await world.app.secondInstance({
      override: (builder) =>
        builder
          .overrideProvider(SingleStatementWriter)
          .useValue({ create: () => null, change: () => null, remove: () => false }),
    });
  });

  afterAll(async () => {
    await general?.stop();
  });

  const named = (kind: string, ...titles: string[]) => titles.map((title) => ids[`${kind} ${title}`]);

  describe.each(['one statement', 'a transaction'])('in %s', (how) => {
    let client: TestClient;
    let post: string;

    beforeEach(async () => {
      client = how === 'one statement' ? person : new TestClient(general.server, person.token);
      const titles = ['open', 'hidden', 'gone'];
      const body = { title: 'p', tags: named('tag', ...titles), parts: named('part', ...titles) };
      for (const kind of ['tag', 'part'])
        await world.app.sql(`UPDATE ${kind}s SET deleted_at = NULL WHERE title = 'gone'`);
      post = (await root.post('/api/content/post', body).expect(201)).body.data.id;
      for (const kind of ['tag', 'part']) await root.delete(`/api/content/${kind}/${ids[`${kind} gone`]}`).expect(200);
    });

    const linked = async (kind: 'tags' | 'parts') => {
      const from =
        kind === 'tags'
          ? 'tags t JOIN posts_tags j ON j.tag_id = t.id WHERE j.post_id = $1'
          : 'parts t WHERE t.post_id = $1';
      const rows = await world.app.sql<{ title: string }>(`SELECT t.title FROM ${from} ORDER BY 1`, [post]);
      return rows.map(({ title }) => title);
    };

    it.each([
      ['a list', (list: unknown[]) => list, ['other'], ['gone', 'hidden', 'other']],
      ['a set', (list: unknown[]) => ({ $set: list }), ['open'], ['gone', 'hidden', 'open']],
      ['an empty list', (list: unknown[]) => list, [], ['gone', 'hidden']],
    ])('%s removes only readable ones', async (_what, written, titles, expected) => {
      for (const [field, kind] of [
        ['tags', 'tag'],
        ['parts', 'part'],
      ] as const) {
        await client
          .patch(`/api/content/post/${post}`, { title: 'q', [field]: written(named(kind, ...titles)) })
          .expect(200);
        expect([field, await linked(field)]).toEqual([field, expected]);
      }
      for (const kind of ['tag', 'part'])
        await root.post(`/api/content/${kind}/${ids[`${kind} gone`]}/restore`).expect(200);
      const { body } = await root.get(`/api/content/post/${post}?select=tags.title,parts.title`).expect(200);
      expect(body.data.tags).toContainEqual({ title: 'gone' });
      expect(body.data.parts).toContainEqual({ title: 'gone' });
    });

    it.each(['hidden', 'gone'])('naming one that is %s is rejected, for adding and removing', async (title) => {
      for (const [field, kind] of [
        ['tags', 'tag'],
        ['parts', 'part'],
      ] as const)
        for (const links of [
          { $add: named(kind, title) },
          { $remove: named(kind, title) },
          named(kind, 'open', title),
        ]) {
          const { body } = await client.patch(`/api/content/post/${post}`, { title: 'q', [field]: links }).expect(400);
          expect(body.data).toMatchObject({ error: 'reference_not_found', errors: [{ field }] });
          expect(await linked(field)).toEqual(['gone', 'hidden', 'open']);
        }
    });

    it('a hidden one keeps its place and is not emptied', async () => {
      const cover = (await root.post('/api/content/cover', { title: 'hidden', post }).expect(201)).body.data
        .id as string;
      const path = `/api/content/post/${post}`;
      await client.patch(path, { cover: null }).expect(200);
      const { body } = await client.patch(path, { cover: { title: 'mine' } }).expect(403);
      expect(body.data).toEqual({ error: 'permission_denied' });
      expect((await root.get(`${path}?select=cover.id`).expect(200)).body.data).toEqual({ cover: { id: cover } });
      await root.delete(`/api/content/cover/${cover}`).expect(200);
      await client.patch(path, { cover: { title: 'mine' } }).expect(200);
    });
  });
});
