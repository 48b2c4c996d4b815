import { IndexAdvisor } from '../../../src/data/schema/advise/index-advisor.service.js';
import { SeenQueries } from '../../../src/data/schema/advise/seen-queries.service.js';
import { personWith } from '../../support/content-fixture.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const TICKETS = '/api/content/tickets';
const ROWS = 30_000;

const ticket = (indexes: readonly (readonly string[])[] = []) => ({
  ...schema('ticket', [
    field('string', 'reporter', { optional: true }),
    field('int', 'urgency', { optional: true }),
    field('time', 'due', { optional: true }),
  ]),
  db: { indexes: indexes.map((columns) => ({ columns, unique: false })) },
});

describe('index suggestions', () => {
  const world = useTestApp();
  let admin: TestClient;
  const advise = (...names: string[]) => world.app.get(IndexAdvisor).advise(names, 20_000);
  const flush = () => world.app.get(SeenQueries).flush();
  const list = (filter: object, rest = 'limit=1&count=none', client = admin) =>
    client.get(`${TICKETS}?filter=${encodeURIComponent(JSON.stringify(filter))}&${rest}`).expect(200);
  const byReporter = (reporter: string) => list({ reporter }, 'sort=-due&limit=5&count=none');
  const missed = async (definition: object): Promise<unknown> =>
    (await admin.post('/api/schema/plan', definition).expect(200)).body.data.missed_indexes;

  beforeAll(async () => {
    admin = await asAdmin(world.app);
    await admin.post('/api/schema', ticket()).expect(201);
    await world.app.sql(`INSERT INTO tickets (id, title, reporter, urgency, due)
      SELECT gen_random_uuid(), 'ticket ' || n, 'person' || n % 3000 || '@example.com', n % 5, now() - n * interval '1 minute'
      FROM generate_series(1, ${ROWS}) n`);
    await world.app.sql('ANALYZE tickets');
  });

  it('are empty before any request', async () => {
    await flush();
    expect(await advise()).toEqual([]);
    expect(await missed(ticket())).toEqual([]);
  });

  it('follow the queries of lists: values first, then the order, measured on a sample', async () => {
    for (let time = 0; time < 3; time += 1) await byReporter('person7@example.com');
    await byReporter('person8@example.com');
    await flush();
    const [first, ...others] = await advise();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ schema: 'ticket', columns: ['reporter', 'due'], seen: 4, advised: true });
    expect(first?.mean_ms).toBeGreaterThan(0);
    expect(first?.trial).toMatchObject({ rows: ROWS, sampled: expect.any(Number) });
    expect(first?.trial.sampled).toBeLessThan(ROWS);
    expect(first?.trial.after).toBeLessThan(first?.trial.before ?? 0);
    expect(first?.trial.bytes).toBeGreaterThan(0);
  });

  it('add up over instances and writes, and store no requested value', async () => {
    await Promise.all(Array.from({ length: 16 }, () => byReporter('person9@example.com')));
    await Promise.all([flush(), flush()]);
    expect(await advise('ticket')).toMatchObject([{ seen: 20 }]);
    const rows = await world.app.sql('SELECT * FROM query_shapes');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/person|example/);
  });

  it('do not change the table, its indexes or other sessions', async () => {
    const indexes = () => world.app.sql(`SELECT indexname FROM pg_indexes WHERE tablename = 'tickets' ORDER BY 1`);
    const before = await indexes();
    const [advice] = await Promise.all([advise(), list({}), admin.post(TICKETS, { title: 'meanwhile' }).expect(201)]);
    expect(advice).toHaveLength(1);
    expect(await indexes()).toEqual(before);
    expect(await world.app.sql('SELECT count(*)::int AS count FROM tickets')).toEqual([{ count: ROWS + 1 }]);
  });

  it('are part of a plan for the schema that does not create the index', async () => {
    const touched = { ...ticket(), label_field: 'reporter' };
    expect(await missed(touched)).toMatchObject([{ schema: 'ticket', columns: ['reporter', 'due'], seen: 20 }]);
    expect(await missed(ticket([['reporter', 'due']]))).toEqual([]);
    expect(await missed(schema('other'))).toEqual([]);
  });

  it('exclude an index that would hardly help, with its numbers', async () => {
    await list({ urgency: 3 });
    await flush();
    const found = (await advise()).find(({ columns }) => columns[0] === 'urgency');
    expect(found).toMatchObject({ columns: ['urgency', 'id'], advised: false });
  });

  it('include rules of permissions, without alternatives', async () => {
    const reader = await personWith(world.app, [
      { resource: 'content.ticket.list', value: 'record.urgency >= 4 && record.title == auth.email' },
    ]);
    await list({}, 'limit=1&count=none', reader.client);
    await list({ $or: [{ reporter: 'x' }, { urgency: 1 }] });
    await list({ $not: { title: 'x' } });
    await flush();
    const shapes = await world.app.sql<{ shape: { equal: string[]; ranges: string[] } }>(
      'SELECT shape FROM query_shapes',
    );
    expect(shapes.filter(({ shape }) => shape.equal.length === 1 && shape.ranges.length === 1)).toHaveLength(1);
    expect(shapes).toHaveLength(3);
    expect((await advise()).find(({ columns }) => columns[0] === 'title')).toMatchObject({
      columns: ['title', 'urgency'],
    });
  });

  it('disappear once the index exists or the field is dropped', async () => {
    await admin.put('/api/schema/ticket', ticket([['reporter', 'due']])).expect(200);
    expect((await advise()).map(({ columns }) => columns[0])).not.toContain('reporter');
    await admin.put('/api/schema/ticket', schema('ticket')).query({ allow_data_loss: true }).expect(200);
    expect(await advise()).toEqual([]);
  });

  it('reject an unknown schema', async () => {
    await expect(advise('tickets_of_nobody')).rejects.toMatchObject({ code: 'schema_not_found' });
  });
});
