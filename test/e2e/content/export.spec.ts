import { setTimeout as delay } from 'node:timers/promises';
import { ContentExport } from '../../../src/data/content/export/content-export.service.js';
import type { Principal } from '../../../src/kernel/principal.types.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Page {
  readonly data: {
    readonly next_cursor: string | null;
    readonly items: { readonly id: string; readonly title: string }[];
  };
}

const COUNT = 230;

describe('an export of records', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;

  beforeAll(async () => {
    ({ root, rootId } = await makeMagazine(world.app));
    const tags = await root.post('/api/content/tags', [{ title: 'a' }, { title: 'b' }]).expect(201);
    const [one, two] = (tags.body as { data: { id: string }[] }).data;
    const { body } = await root.post('/api/content/categorys', { title: 'News' }).expect(201);
    const category = { id: (body as { data: { id: string } }).data.id };
    const posts = Array.from({ length: COUNT }, (_, at) => ({
      title: `Post ${at}`,
      views: at,
      big: at % 3 === 0 ? null : 9_007_199_254_740_993n.toString(),
      body: at % 2 === 0 ? 'x'.repeat(20_000) : null,
      status: at % 2 === 0 ? 'draft' : 'published',
      ...(at % 5 === 0 ? { category, tags: [{ id: one!.id }, { id: two!.id }], owner: { id: rootId } } : {}),
    }));
    for (let start = 0; start < COUNT; start += 50)
      await root.post('/api/content/posts', posts.slice(start, start + 50)).expect(201);
  });

  const listed = async (client: TestClient, query: string): Promise<Page['data']['items']> => {
    const items: Page['data']['items'] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/api/content/posts?limit=100&cursor=${encodeURIComponent(cursor)}&${query}`;
      const { data } = (await client.get(path).expect(200)).body as Page;
      items.push(...data.items);
      cursor = data.next_cursor;
    }
    return items;
  };
  const openExports = (): Promise<unknown[]> =>
    world.app.sql(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%lintel_records'`);
  const begin = (query: string, encoding = 'gzip') =>
    fetch(`${world.app.url}/api/content/posts/export?${query}`, {
      headers: { authorization: `Bearer ${root.token}`, 'accept-encoding': encoding },
    });

  it.each([
    'sort=-views',
    'select=id,title,category.title,tags.title&relations={"tags":{"sort":"-title"}}&sort=title',
    'filter={"status":"draft","views":{"$gt":100}}&select=*',
    'filter={"views":-1}',
  ])('contains all records of the list: %s', async (query) => {
    const items = await listed(root, query);
    const json = await root.get(`/api/content/posts/export?format=json&${query}`).expect(200);
    expect(JSON.parse(json.text)).toEqual(items);
    const lines = await root.get(`/api/content/posts/export?format=ndjson&${query}`).buffer(true).expect(200);
    const records = lines.text.split('\n').filter((line) => line !== '');
    expect(records.map((line) => JSON.parse(line) as unknown)).toEqual(items);
  });

  it('contains only records and fields that the caller may list', async () => {
    const { client } = await personWith(world.app, [
      {
        resource: 'content.post.list',
        value: "record.status == 'published' && record.views < 200",
        fields: { read: ['id', 'title', 'views'], write: [] },
      },
    ]);
    const items = await listed(client, 'sort=views');
    expect(items.length).toBe(100);
    const { text } = await client.get('/api/content/posts/export?format=json&sort=views').expect(200);
    expect(JSON.parse(text)).toEqual(items);
    const csv = await client.get('/api/content/posts/export?sort=views').expect(200);
    expect(csv.text.split('\r\n').slice(0, 2)).toEqual([expect.not.stringContaining('status'), expect.any(String)]);
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(101);
    const refused = await client.get('/api/content/posts/export?filter={"status":"draft"}');
    expect([refused.status, refused.body.data.error]).toEqual([400, 'query_invalid']);
  });

  it.each([
    ['limit=5', 'limit'],
    ['cursor=', 'cursor'],
    ['count=exact', 'count'],
    ['format=xlsx', 'format'],
    ['format=csv&format=json', 'format'],
    ['formulas=no', 'formulas'],
    ['filter={', 'filter'],
    ['sort=secret', 'secret'],
  ])('is rejected with %s', async (query, field) => {
    const { status, body } = await root.get(`/api/content/posts/export?${query}`);
    expect([status, body.data.error, body.data.errors[0].field]).toEqual([400, 'query_invalid', field]);
  });

  it('needs permission to list', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.post.get', value: 'allow' }]);
    await client.get('/api/content/posts/export').expect(403);
    await root.get('/api/content/nothing/export').expect(404);
    expect((await fetch(`${world.app.url}/api/content/posts/export`)).status).toBe(401);
    const deleted = await personWith(world.app, [{ resource: 'content.post.list', value: 'allow' }]);
    await deleted.client.get('/api/content/posts/export?with_deleted=true').expect(403);
  });

  it('is CSV with a file name, compressed on request and not cacheable', async () => {
    const answer = await fetch(
      `${world.app.url}/api/content/posts/export?select=title,views,category.title&sort=views`,
      {
        headers: { authorization: `Bearer ${root.token}`, 'accept-encoding': 'identity' },
      },
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="posts.csv"',
      'cache-control': 'no-store',
    });
    const text = await answer.text();
    expect(text.split('\r\n').slice(0, 3)).toEqual(['title,views,category.title', 'Post 0,0,News', 'Post 1,1,']);
    // `fetch` decompresses the body automatically.
    const packed = await begin('select=title,views,category.title&sort=views');
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', text]);
  });

  it('is a snapshot, independent of concurrent writes', async () => {
    const roleIds = await world.app.sql<{ id: string }>('SELECT role_id AS id FROM user_roles WHERE user_id = $1', [
      rootId,
    ]);
    const principal: Principal = {
      kind: 'account',
      userId: rootId,
      sessionId: '',
      email: '',
      roleIds: roleIds.map(({ id }) => id),
    };
    const { parts, end } = await world.app.get(ContentExport).start(principal, 'post', {
      format: 'ndjson',
      sort: 'views',
      select: 'title',
    });
    const before = await listed(root, 'sort=views&select=title');
    await root.patch('/api/content/posts?filter={"views":229}', { title: 'Changed' }).expect(200);
    const made = await root.post('/api/content/posts', { title: 'New', views: 1_000 }).expect(201);
    let text = '';
    for await (const part of parts) text += part;
    await end();
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(before);
    await root.patch('/api/content/posts?filter={"views":229}', { title: 'Post 229' }).expect(200);
    await root.delete(`/api/content/posts/${(made.body as { data: { id: string } }).data.id}`).expect(200);
  });

  it('releases its connection when the reader disconnects, and at most two run', async () => {
    // More than the buffers between the service and a client that does not read, but small enough for one statement.
    await world.app.sql(`UPDATE posts SET body = repeat('x', 200000) WHERE views < 120`);
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([begin('format=ndjson', 'identity'), begin('format=json', 'identity')]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const third = await begin('format=csv');
      expect([third.status, third.headers.get('retry-after')]).toEqual([503, '10']);
      await Promise.all(answers.map(({ body }) => body!.cancel()));
      await until(async () => (await openExports()).length === 0, 'the connections of both');
      await delay(20);
    }
    await world.app.sql(`UPDATE posts SET body = NULL`);
    expect((await begin('format=csv')).status).toBe(200);
  });
});
