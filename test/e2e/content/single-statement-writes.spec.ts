import { DataSource } from 'typeorm';
import { SingleStatementWriter } from '../../../src/data/content/write/single-statement-writer.service.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { statementsOf } from '../../support/sent-statements.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { TestClient } from '../../support/test-client.js';
import { versionOf } from '../../support/entity-tags.js';

const GHOST = '00000000-0000-7000-8000-0000000000ff';
const POSTS = '/api/content/posts';

/** Returns the statements on the magazine tables while the work runs, each with a preceding BEGIN on the same connection. */
async function askedOfTables(work: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const sent = await statementsOf(work);
  return sent.flatMap(({ client, text }, at) => {
    if (!/"(posts|categorys|tags)"/.test(text)) return [];
    const before = sent.slice(0, at).findLast((one) => one.client === client)?.text ?? '';
    return /^(BEGIN|START)/.test(before) ? [[before, text]] : [[text]];
  });
}

/** A single statement without a transaction. */
const ALONE = [[expect.stringMatching(/^(WITH|UPDATE|DELETE)/)]];

describe('simple writes', () => {
  const world = useTestApp();
  let general: TestApp;
  let root: TestClient;
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
  });

  afterAll(async () => {
    await general?.stop();
  });

  describe('use one statement without a transaction', () => {
    it('a new record with a category and three tags', async () => {
      const body = { title: 'one', category: { id: ids['open'] }, tags: [ids['a'], ids['b'], { id: ids['c'] }] };
      await root.post(POSTS, body).expect(201);
      expect(await askedOfTables(() => root.post(POSTS, body).expect(201))).toEqual(ALONE);
    });

    it('a new record that repeats a tag, in any spelling: it is linked once', async () => {
      const [a = '', b = ''] = [ids['a'], ids['b']];
      const body = { title: 'twice', tags: [b, a, { id: a }, a.toUpperCase(), b] };
      let made = '';
      const asked = await askedOfTables(async () => (made = (await root.post(POSTS, body).expect(201)).body.data.id));
      expect(asked).toEqual(ALONE);
      const { tags } = (await root.get(`${POSTS}/${made}?select=tags.id`)).body.data;
      expect(tags.map((tag: { id: string }) => tag.id).sort()).toEqual([a, b].sort());
    });

    it('a change of values and links, a replacement, and a deletion', async () => {
      const { id } = (await root.post(POSTS, { title: 'two', tags: [ids['a']] }).expect(201)).body.data;
      const path = `${POSTS}/${id}`;
      const writes = [
        () => root.patch(path, { title: 'x', category: ids['open'], tags: { $add: [ids['b']], $remove: [ids['a']] } }),
        () => root.patch(path, { tags: { $set: [ids['c']] } }).set('prefer', 'return=minimal'),
        () => root.put(path, { title: 'y' }),
        () => root.delete(path),
      ];
      for (const write of writes)
        expect(await askedOfTables(async () => expect((await write()).ok).toBe(true))).toEqual(ALONE);
    });

    it('with a rule on the record and on its references', async () => {
      const { client } = await personWith(world.app, [
        { resource: 'content.post.*', value: "record.status == 'draft' && record.category.title == 'open'" },
        { resource: 'content.category.get', value: "record.title != 'closed'" },
      ]);
      const body = { title: 'ruled', category: ids['open'] };
      const { id } = (await client.post(POSTS, body).expect(201)).body.data;
      expect(await askedOfTables(() => client.post(POSTS, body).expect(201))).toEqual(ALONE);
      expect(await askedOfTables(() => client.patch(`${POSTS}/${id}`, { views: 3 }).expect(200))).toEqual(ALONE);
    });
  });

  it('that run concurrently all apply', async () => {
    const { id } = (await root.post(POSTS, { title: 'race' }).expect(201)).body.data;
    const values = Array.from({ length: 16 }, (_, at) => ({ title: `t${at}`, views: at, body: `b${at}` }));
    await Promise.all(values.map((value) => root.patch(`${POSTS}/${id}`, value).expect(200)));
    const { title, views, body } = (await root.get(`${POSTS}/${id}`)).body.data;
    expect(values).toContainEqual({ title, views, body });
  });

  it('by 16 clients with one version: one succeeds', async () => {
    const first = await root.post(POSTS, { title: 'version' }).expect(201);
    const path = `${POSTS}/${first.body.data.id}`;
    const etag = String(first.headers['etag']);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => root.patch(path, { views: at }).set('if-match', etag)),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(15).fill(412)]);
    const winner = answers.find(({ status }) => status === 200);
    const read = await root.get(path).expect(200);
    expect([versionOf(read), read.body]).toEqual([winner?.headers['etag'], winner?.body]);
  });

  it.each([[['a']], [{ $remove: ['b'], $add: ['a'] }]])(
    '%j includes the links of the change it waited for',
    async (tags) => {
      const { id } = (await root.post(POSTS, { title: 'set' }).expect(201)).body.data;
      const path = `${POSTS}/${id}`;
      const keys = JSON.parse(JSON.stringify(tags), (_name, value: unknown) =>
        typeof value === 'string' ? ids[value] : value,
      );
      const other = await new DataSource(world.app.database.options).initialize();
      try {
        const holder = other.createQueryRunner();
        await holder.startTransaction();
        await holder.query('UPDATE posts SET views = 99 WHERE id = $1', [id]);
        await holder.query('INSERT INTO posts_tags (post_id, tag_id) VALUES ($1, $2)', [id, ids['b']]);
        const waiting = root.patch(path, { title: 'after', tags: keys }).then((response) => response);
        let blocked: unknown[] = [];
        while (blocked.length === 0)
          blocked = await other.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
        await holder.commitTransaction();
        expect((await waiting).body.data).toMatchObject({ title: 'after', views: 99 });
        const { body } = await root.get(`${path}?select=tags.title`).expect(200);
        expect(body.data).toEqual({ tags: [{ title: 'a' }] });
      } finally {
        await other.destroy();
      }
    },
  );

  it('evaluate a rule on the current record after waiting', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.post.*', value: "record.status == 'draft'" }]);
    for (let turn = 0; turn < 8; turn += 1) {
      const { id } = (await root.post(POSTS, { title: 'mine' }).expect(201)).body.data;
      const path = `${POSTS}/${id}`;
      const [published, changed] = await Promise.all([
        root.patch(path, { status: 'published' }),
        client.patch(path, { title: 'changed' }),
      ]);
      expect(published.status).toBe(200);
      const { title } = (await root.get(path)).body.data;
      expect([changed.status, title]).toEqual(changed.status === 200 ? [200, 'changed'] : [404, 'mine']);
      await client.patch(path, { title: 'late' }).expect(404);
    }
  });

  it('reject invalid keys, deleted records and missing records', async () => {
    for (const client of [root, new TestClient(general.server, root.token)]) {
      for (const id of [GHOST, 'x', 'a%00b']) {
        await client.patch(`${POSTS}/${id}`, { views: 1 }).expect(404);
        await client.delete(`${POSTS}/${id}`).expect(404);
      }
      const { id } = (await client.post(POSTS, { title: 'd' }).expect(201)).body.data;
      await client.delete(`${POSTS}/${id}`).set('if-match', '"1"').expect(412);
      await client.delete(`${POSTS}/${id}`).expect(200);
      await client.patch(`${POSTS}/${id}`, { views: 1 }).expect(404);
    }
  });
});
