import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const LOSSY = 'allow_data_loss=true';
const BOTH = `${LOSSY}&allow_rebuild=true`;

const PART = 40;

describe('the limit of 1,600 columns in the life of a table', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
  });

  const wide = (round: number, more: unknown[] = []) => [
    schema('wide', [
      field('string', 'kept', { unique: true }),
      field('int', 'number', { db: { increment: true } }),
      relation('parent', 'wide', 'children', 'm2o'),
      relation('children', 'wide', 'parent', 'o2m', { owner: true }),
      relation('parts', 'part', 'wide', 'o2m', { owner: true }),
      ...Array.from({ length: 20 }, (_, at) => field('int', `r${round}_${at}`, { optional: true })),
      ...more,
    ]),
    schema('part', [relation('wide', 'wide', 'parts', 'm2o', { on_delete: 'restrict' })]),
  ];
  /** Uses up columns of the table until this number is left, as years of changes do. */
  const leave = async (left: number) => {
    const names = Array.from({ length: 1_600 - left - (await used()) }, (_, at) => `burnt${at}`);
    // In parts, so that each stays within the statement timeout on a busy machine.
    for (let from = 0; from < names.length; from += PART) {
      const part = names.slice(from, from + PART);
      await world.app.sql(`ALTER TABLE wides ${part.map((name) => `ADD COLUMN ${name} int`).join(', ')}`);
      await world.app.sql(`ALTER TABLE wides ${part.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
    }
  };
  const used = async () =>
    (
      await world.app.sql<{ n: number }>(
        `SELECT max(attnum)::int AS n FROM pg_attribute WHERE attrelid = 'wides'::regclass`,
      )
    )[0]?.n ?? 0;

  it('is reported by the plan and the change, and a rebuild of the table is offered', async () => {
    await root.post('/api/schema', { schemas: wide(0) }).expect(201);
    const parent = (await root.post('/api/content/wide', { title: 'p', kept: 'p' }).expect(201)).body.data;
    const child = { title: 'c', kept: 'c', parent: parent.id, r0_0: 7, parts: [{ title: 'part' }] };
    const { id } = (await root.post('/api/content/wide', child).expect(201)).body.data;
    const read = async () =>
      (await root.get(`/api/content/wide/${id}?select=*,parent.kept,parts.title`).expect(200)).body.data;
    await root.post(`/api/schema?${LOSSY}`, { schemas: wide(4) }).expect(200);
    await leave(10);
    const before = await read();
    const reader = await world.app.sql(`SELECT 1 FROM pg_roles WHERE rolname = 'pg_monitor'`);
    if (reader.length > 0) await world.app.sql('GRANT SELECT ON wides TO pg_monitor');

    const next = { schemas: wide(5) };
    const { data: plan } = (await root.post('/api/schema/plan', next).expect(200)).body;
    expect(plan.blocked).toBe(true);
    const problems = plan.steps.flatMap((step: { problems: unknown[] }) => step.problems);
    expect(problems).toEqual([
      {
        kind: 'columns',
        count: 10,
        message: expect.stringContaining('1600'),
        examples: expect.any(Array),
      },
    ]);
    expect(problems[0].examples).toHaveLength(5);
    const refused = await root.post(`/api/schema?${LOSSY}`, next).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'migration_blocked' });
    expect(await read()).toEqual(before);

    const { data: rebuilding } = (await root.post('/api/schema/plan?allow_rebuild=true', next).expect(200)).body;
    expect(rebuilding).toMatchObject({ blocked: false, loses_data: true });
    expect(rebuilding.steps[0]).toMatchObject({ kind: 'rebuild_table', table: 'wides', rows: 1 });
    // Columns that earlier changes dropped are deleted permanently, which must be confirmed, too.
    const unasked = await root.post('/api/schema?allow_rebuild=true', next).expect(409);
    expect(unasked.body.data).toMatchObject({ error: 'migration_destructive' });
    expect(unasked.body.data.steps[0]).toMatchObject({ kind: 'rebuild_table', loses_data: true });
    const counted = await used();
    await root.post(`/api/schema?${BOTH}`, next).expect(200);
    expect(await used()).toBeLessThan(counted);

    const kept = Object.entries(before as Record<string, unknown>).filter(([name]) => !/^r\d/.test(name));
    expect(await read()).toMatchObject(Object.fromEntries(kept));
    // The table keeps everything: foreign keys both ways, unique values, the sequence, privileges.
    const twin = await root.post('/api/content/wide', { title: 't', kept: 'c' }).expect(409);
    expect(twin.body.data.errors[0]).toMatchObject({ field: 'kept', code: 'unique_violation' });
    const { data: newest } = (await root.post('/api/content/wide', { title: 'n', kept: 'n' }).expect(201)).body;
    // The refused record used number 3.
    expect(newest.number).toBe(4);
    const constraints = await world.app.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_constraint WHERE contype = 'f' AND confrelid = 'wides'::regclass AND convalidated`,
    );
    expect(constraints).toEqual([{ n: 2 }]);
    await expect(world.app.sql(`DELETE FROM wides WHERE id = $1`, [id])).rejects.toThrow(/foreign key/);
    if (reader.length > 0)
      expect(await world.app.sql(`SELECT has_table_privilege('pg_monitor', 'wides', 'SELECT') AS may`)).toEqual([
        { may: true },
      ]);
    // The change itself can be undone, and the plan for the same schema is empty.
    await root.post('/api/schema/undo').expect(200);
    expect(Object.keys(await read())).toContain('r4_0');
    expect((await root.post('/api/schema/plan', { schemas: wide(4) }).expect(200)).body.data.steps).toEqual([]);
  });

  it('a table with foreign dependents is not rebuilt', async () => {
    await world.app.sql('CREATE VIEW seen AS SELECT id, kept FROM wides');
    await leave(10);
    const next = { schemas: wide(6) };
    const { data: plan } = (await root.post('/api/schema/plan?allow_rebuild=true', next).expect(200)).body;
    expect(plan.blocked).toBe(true);
    const refused = await root.post(`/api/schema?${BOTH}`, next).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'migration_blocked' });
    await world.app.sql('DROP VIEW seen');
    await root.post(`/api/schema?${BOTH}`, next).expect(200);
  });

  it('a limit of the database is a client error', async () => {
    await root
      .post('/api/schema', schema('long', [field('string', 'words', { size: 20_000, optional: true })]))
      .expect(201);
    const random = Array.from({ length: 400 }, () => Math.random().toString(36)).join('');
    await root.post('/api/content/long', { title: 't', words: random }).expect(201);
    const indexed = schema('long', [field('string', 'words', { size: 20_000, optional: true, unique: true })]);
    const { status, body } = await root.put('/api/schema/long', indexed);
    expect({ status, error: body.data.error }).toEqual({ status: 409, error: 'migration_blocked' });
  });
});
