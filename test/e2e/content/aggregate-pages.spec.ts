import { Content } from '../../../src/data/content/content.service.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Page {
  data: Record<string, unknown>[];
  next_cursor: string | null;
}

describe('aggregate groups', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    const events = schema('event', [
      field('string', 'kind', { optional: true }),
      field('int', 'count', { default: 0 }),
      field('float64', 'score', { optional: true }),
      field('time', 'at', { optional: true }),
    ]);
    await root.post('/api/schema', { schemas: [events] }).expect(201);
    await world.app.sql(
      `INSERT INTO events (id, title, kind, count, score, at, created_at, updated_at)
       SELECT gen_random_uuid(), 'e', CASE WHEN n % 5 = 0 THEN NULL ELSE 'kind ' || n END, n % 7, CASE WHEN n % 3 = 0 THEN NULL ELSE n * 0.1::float8 END,
         CASE WHEN n % 4 = 0 THEN NULL ELSE timestamptz '2026-01-01T00:00:00.123456Z' + n * interval '1 second' END, now(), now()
       FROM generate_series(1, 5000) n`,
    );
  });

  const page = async (query: string): Promise<Page> =>
    (await root.get(`/api/content/events/aggregate?${query}`).expect(200)).body;

  async function all(query: string): Promise<Page['data']> {
    const groups: Page['data'] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, next_cursor: next } = await page(`${query}&cursor=${encodeURIComponent(cursor)}`);
      groups.push(...data);
      cursor = next;
    }
    return groups;
  }

  it.each([
    ['group=kind', 4001, 100],
    ['group=kind&limit=1000', 4001, 1000],
    ['group=kind&limit=1', 1, 1],
    ['group=score&limit=700', 3335, 700],
    ['group=at&limit=700', 3751, 700],
    ['group=kind,at,score&limit=1000', 5000, 1000],
  ])('are paged completely by cursor: %s', async (query, expected, first) => {
    const start = await page(`count=*&${query}`);
    expect(start.data).toHaveLength(first);
    expect(start.next_cursor).toEqual(expect.any(String));
    if (query.endsWith('limit=1')) return;
    const groups = await all(`count=*&${query}`);
    const keys = groups.map(({ count: _count, ...key }) => JSON.stringify(key));
    expect(new Set(keys).size).toBe(keys.length);
    expect(groups.reduce((sum, group) => sum + Number(group['count']), 0)).toBe(5000);
    const names = query.slice('group='.length).split('&')[0];
    const [{ n } = { n: '' }] = await world.app.sql<{ n: string }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM events GROUP BY ${names}) g`,
    );
    expect(groups).toHaveLength(Number(n));
    expect(Number(n)).toBeGreaterThanOrEqual(expected - 700);
  });

  it('have no cursor on the last page, and one row without a group', async () => {
    expect(await page('count=*&sum=count')).toEqual({
      data: [{ count: 5000, sum: { count: 14997 } }],
      next_cursor: null,
    });
    expect((await page('count=*&group=count&limit=7')).next_cursor).toBeNull();
    expect((await page('count=*&group=kind&filter={"kind":"nothing"}')).data).toEqual([]);
  });

  it('are members of group if a member has the name of another', async () => {
    const { data } = await page('count=*&group=count&sum=score&limit=1');
    expect(data).toEqual([{ group: { count: 0 }, count: 714, sum: { score: expect.any(Number) } }]);
    const text = JSON.stringify((await page('count=*&group=count,kind&limit=1')).data);
    expect(text).toMatch(/^\[\{"group":\{"count":0,"kind":"[^"]+"\},"count":1\}\]$/);
  });

  it.each(['limit=0', 'limit=1001', 'cursor=x', 'page=2'])('reject %s', async (query) => {
    const { body } = await root.get(`/api/content/events/aggregate?count=*&group=kind&${query}`).expect(400);
    expect(body.data.errors).toMatchObject([{ field: query.split('=')[0] }]);
  });

  it('reject a cursor of other groups or of a list', async () => {
    const { next_cursor: cursor } = await page('count=*&group=kind');
    const of = encodeURIComponent(cursor ?? '');
    await root.get(`/api/content/events/aggregate?count=*&group=score&cursor=${of}`).expect(400);
    await root.get(`/api/content/events/aggregate?count=*&cursor=${of}`).expect(400);
    await root.get(`/api/content/events?sort=kind&cursor=${of}`).expect(400);
  });

  it('are returned completely to application code', async () => {
    const groups = await world.app
      .get(Content)
      .as('system')
      .schema('event')
      .aggregate({ count: true, group: ['kind'] });
    expect(groups).toHaveLength(4001);
  });
});
