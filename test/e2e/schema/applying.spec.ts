import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlanRunner } from '../../../src/data/schema/apply/plan-runner.js';
import { SchemaStore } from '../../../src/data/schema/apply/schema-store.js';
import { ArchiveCleanup } from '../../../src/data/schema/apply/archive-cleanup.js';
import { SchemaFileWriter } from '../../../src/data/schema/files/schema-file-writer.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { asAdmin, catalogue, columnsOf } from '../../support/schema-fixture.js';
import { blog, field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

describe('applying a schema change', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    await (await asAdmin(world.app)).post(PATH, { schemas: blog() }).expect(201);
  });
  beforeEach(async () => {
    // Advancing the test clock ends sessions.
    admin = await asAdmin(world.app);
  });
  afterEach(() => jest.restoreAllMocks());

  const directory = (): string => join(world.app.config.dataDir, 'schemas');
  const files = (): Record<string, string> =>
    Object.fromEntries(readdirSync(directory()).map((name) => [name, readFileSync(join(directory(), name), 'utf8')]));
  const insert = (table: string, columns: string, values: string): Promise<unknown> =>
    world.app.sql(`INSERT INTO ${table} (id, ${columns}) SELECT gen_random_uuid(), ${values}`);

  it('creates the tables of the definitions: columns, keys, junctions', async () => {
    expect(await columnsOf(world.app, 'posts')).toEqual({
      id: 'uuid required',
      title: 'character varying(255) required',
      body: 'text',
      status: 'text required',
      views: 'bigint required',
      author_id: 'uuid',
      cover_id: 'uuid',
      created_at: 'timestamp(3) with time zone required',
      updated_at: 'timestamp(3) with time zone required',
      deleted_at: 'timestamp(3) with time zone',
    });
    const keys = await world.app.sql<{ text: string }>(
      `SELECT conrelid::regclass || ' > ' || confrelid::regclass AS text FROM pg_constraint
       WHERE contype = 'f' AND convalidated AND conrelid = 'posts'::regclass ORDER BY 1`,
    );
    expect(keys.map(({ text }) => text)).toEqual(['posts > authors', 'posts > files']);
  });

  it('keeps the data when fields and schemas are renamed and types change', async () => {
    await admin.post(PATH, schema('paper', [field('int', 'pages', { default: 1 })])).expect(201);
    await insert('papers', 'title, pages', `'one', 41`);
    const renamed = {
      ...schema('essay', [field('string', 'length', { default: '1' })]),
      renames: { schema: 'paper', fields: { pages: 'length' } },
    };
    await admin.put(`${PATH}/paper`, renamed).expect(200);
    expect(await world.app.sql('SELECT title, length FROM essays')).toEqual([{ title: 'one', length: '41' }]);
    await admin.get(`${PATH}/paper`).expect(404);
    const { body } = await admin.put(`${PATH}/essay`, { ...schema('memo', [field('string', 'length')]) }).expect(200);
    expect(body.data.name).toBe('memo');
    expect(await world.app.sql('SELECT title, length FROM memos')).toEqual([{ title: 'one', length: '41' }]);
  });

  it('refuses to lose data without consent, and archives it until it is purged', async () => {
    await admin.post(PATH, schema('diary', [field('text', 'secret', { optional: true })])).expect(201);
    await insert('diarys', 'title, secret', `'mine', 'gold'`);
    const { body } = await admin.put(`${PATH}/diary`, schema('diary')).expect(409);
    expect(body.data).toMatchObject({
      error: 'migration_destructive',
      steps: [{ kind: 'archive_column', schema: 'diary', field: 'secret', loses_data: true, rows: 1 }],
    });
    expect(await world.app.sql('SELECT secret FROM diarys')).toEqual([{ secret: 'gold' }]);
    await admin.put(`${PATH}/diary?allow_data_loss=true`, schema('diary')).expect(200);
    expect(await columnsOf(world.app, 'diarys')).not.toHaveProperty('secret');
    expect((await admin.delete(`${PATH}/diary`).expect(409)).body.data.error).toBe('migration_destructive');
    await admin.delete(`${PATH}/diary?allow_data_loss=true`).expect(200);

    const kept = await world.app.sql<{ name: string }>('SELECT name FROM schema_leftovers ORDER BY name');
    expect(kept).toHaveLength(2);
    const table = kept.find(({ name }) => name.startsWith('_dropped_diarys'))?.name ?? '';
    expect(await world.app.sql(`SELECT title FROM "${table}"`)).toEqual([{ title: 'mine' }]);
    expect(await world.app.get(ArchiveCleanup).sweep()).toBe(0);
    world.app.clock.advance(29 * 86_400);
    expect(await world.app.get(ArchiveCleanup).sweep()).toBe(0);
    world.app.clock.advance(2 * 86_400);
    expect(await world.app.get(ArchiveCleanup).sweep()).toBe(2);
    expect(await world.app.sql('SELECT to_regclass($1) AS found', [`"${table}"`])).toEqual([{ found: null }]);
    expect(await world.app.sql('SELECT * FROM schema_leftovers')).toEqual([]);
  });

  it('distinguishes a conflict in the tables of Lintel from one in the data, and retries the first', async () => {
    const conflict = (text: string) => async (manager: { query(text: string): Promise<unknown> }) => {
      await manager.query(text);
      throw new Error('no conflict');
    };
    const own = conflict('INSERT INTO schema_versions SELECT * FROM schema_versions LIMIT 1') as never;
    const serialized = conflict(
      `DO $$ BEGIN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END $$`,
    );
    const add = jest.spyOn(SchemaStore.prototype, 'add');
    for (const once of [own, serialized as never]) {
      add.mockImplementationOnce(once);
      await admin.post(PATH, schema(once === own ? 'overtaken' : 'overtaken_again')).expect(201);
    }
    add.mockImplementation(own);
    const { body } = await admin.post(PATH, schema('never_first')).expect(503);
    expect(body.data.error).toBe('server_busy');
    expect(body.message).toContain('Another change was applied at the same time');
    add.mockRestore();
    await insert('overtakens', 'title', `'x'`);
    jest
      .spyOn(PlanRunner.prototype, 'run')
      .mockImplementation(conflict('INSERT INTO overtakens SELECT * FROM overtakens') as never);
    const refused = await admin.post(PATH, schema('after_data')).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'migration_blocked' });
  });

  it('keeps dropped data for the configured time', async () => {
    await admin.post(PATH, schema('brief')).expect(201);
    await admin.delete(`${PATH}/brief?allow_data_loss=true`).expect(200);
    const hasty = await world.app.secondInstance({ env: { SCHEMA_KEEP_DROPPED_DAYS: '2' } });
    try {
      world.app.clock.advance(86_400);
      expect(await hasty.get(ArchiveCleanup).sweep()).toBe(0);
      world.app.clock.advance(86_400);
      expect(await world.app.get(ArchiveCleanup).sweep()).toBe(0);
      expect(await hasty.get(ArchiveCleanup).sweep()).toBe(1);
    } finally {
      await hasty.stop();
    }
  });

  it('counts and lists rows that violate the change', async () => {
    await admin.post(PATH, schema('guest_entry', [field('string', 'mail', { optional: true })])).expect(201);
    for (const mail of [`'a@example.com'`, `'a@example.com'`, 'NULL']) {
      await insert('guest_entrys', 'title, mail', `'x', ${mail}`);
    }
    const required = schema('guest_entry', [field('string', 'mail', { unique: true }), field('int', 'age')]);
    const { body } = await admin.put(`${PATH}/guest_entry`, required).expect(409);
    expect(body.data.error).toBe('migration_blocked');
    const problems = body.data.steps.flatMap((step: { problems: unknown[] }) => step.problems);
    expect(problems).toEqual(
      expect.arrayContaining([
        { kind: 'empty_table', count: 3, message: expect.stringContaining('"age"'), examples: expect.any(Array) },
        { kind: 'not_null', count: 1, message: expect.any(String), examples: [expect.any(String)] },
        { kind: 'unique', count: 1, message: expect.any(String), examples: ['a@example.com'] },
      ]),
    );
    expect(await columnsOf(world.app, 'guest_entrys')).toMatchObject({ mail: 'character varying(255)' });
  });

  it('rejects one of two concurrent changes of a schema, and applies both of different ones', async () => {
    const change = (name: string, added: string) =>
      admin.put(`${PATH}/${name}`, schema(name, [field('int', added, { optional: true })]));
    await admin.post(PATH, { schemas: [schema('first'), schema('second')] }).expect(201);
    const different = await Promise.all([change('first', 'a'), change('second', 'b')]);
    expect(different.map(({ status }) => status)).toEqual([200, 200]);
    expect(await columnsOf(world.app, 'firsts')).toHaveProperty('a');
    expect(await columnsOf(world.app, 'seconds')).toHaveProperty('b');
    const fields = ['c', 'd', 'e'];
    const same = await Promise.all(
      fields.map((name) =>
        admin.put(
          `${PATH}/first`,
          schema('first', [field('int', 'a', { optional: true }), field('int', name, { optional: true })]),
        ),
      ),
    );
    const winners = fields.filter((_, index) => same[index]?.status === 200);
    expect(winners).toHaveLength(1);
    // A request that starts after the winner would remove its field.
    const errors = same.flatMap(({ status, body }) => (status === 200 ? [] : [body.data.error as string]));
    expect(['schema_changed', 'migration_destructive']).toEqual(expect.arrayContaining(errors));
    const columns = await columnsOf(world.app, 'firsts');
    expect(fields.filter((name) => name in columns)).toEqual(winners);
  });

  it.each([
    [
      'while a step is taken',
      () => jest.spyOn(PlanRunner.prototype, 'runStep').mockRejectedValue(new Error('injected')),
    ],
    [
      'after the steps',
      () => jest.spyOn(PlanRunner.prototype, 'recordArchived').mockRejectedValue(new Error('injected')),
    ],
    ['while the version is written', () => jest.spyOn(SchemaStore.prototype, 'add').mockRejectedValue(new Error('x'))],
    [
      'while files are written',
      () => jest.spyOn(SchemaFileWriter.prototype, 'stage').mockRejectedValue(new Error('x')),
    ],
    [
      'after files were written, before the commit',
      () => {
        const { stage } = SchemaFileWriter.prototype;
        return jest.spyOn(SchemaFileWriter.prototype, 'stage').mockImplementation(async function (
          this: SchemaFileWriter,
          origin,
          change,
        ) {
          const staged = await stage.call(this, origin, change);
          await world.app.sql(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND state = 'idle in transaction'`,
          );
          return staged;
        });
      },
    ],
  ])('restores memory, database and files when it fails %s', async (_when, inject) => {
    const before = {
      tables: await catalogue(world.app),
      files: files(),
      snapshot: world.app.get(SchemaSnapshots).current,
    };
    const spy = inject();
    const broken = schema('broken', [relation('post', 'post', 'brokens', 'o2m')]);
    const { status } = await admin.post(`${PATH}?allow_data_loss=true&back_refs=create`, broken);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
    expect(await catalogue(world.app)).toEqual(before.tables);
    expect(files()).toEqual(before.files);
    expect(world.app.get(SchemaSnapshots).current).toBe(before.snapshot);
    expect(await world.app.get(SchemaSnapshots).latest()).toBe(before.snapshot);
    await admin.get(`${PATH}/broken`).expect(404);
  });

  it('works again after a failure', async () => {
    await admin.post(PATH, schema('broken')).expect(201);
    expect(existsSync(join(directory(), 'broken.json'))).toBe(true);
    await admin.delete(`${PATH}/broken?allow_data_loss=true`).expect(200);
    expect(existsSync(join(directory(), 'broken.json'))).toBe(false);
  });

  it('refuses a name that a table of the service or another application has', async () => {
    await world.app.sql('CREATE TABLE strangers (id int)');
    expect((await admin.post(PATH, schema('stranger')).expect(409)).body.data.error).toBe('migration_blocked');
    const tables = await world.app.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname ~ '^[a-z]' AND relname NOT IN (SELECT body->>'namespace' FROM schema_parts)`,
    );
    for (const { name } of tables) {
      if (name === 'strangers' || name.startsWith('posts_')) continue;
      const { status } = await admin.post(`${PATH}/validate`, { ...schema('stranger'), namespace: name });
      expect([name, status]).toEqual([name, 422]);
    }
  });

  it('reaches a second instance within a second, while a request keeps its snapshot', async () => {
    const second = await world.app.secondInstance();
    try {
      const kept = second.get(SchemaSnapshots).current;
      await admin.post(PATH, schema('announced')).expect(201);
      const until = performance.now() + 1_000;
      while (second.get(SchemaSnapshots).current.schemas['announced'] === undefined && performance.now() < until) {
        await new Promise((done) => setTimeout(done, 20));
      }
      expect(second.get(SchemaSnapshots).current.schemas['announced']).toBeDefined();
      expect(second.get(SchemaSnapshots).current.hash).toBe(world.app.get(SchemaSnapshots).current.hash);
      expect(kept.schemas['announced']).toBeUndefined();
    } finally {
      await second.stop();
    }
  });
});
