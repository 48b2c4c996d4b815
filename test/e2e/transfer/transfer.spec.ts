import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { Views1700000000450 } from '../../../src/features/views/views.migration.js';
import { DataExport } from '../../../src/features/transfer/data-export.service.js';
import type { ExportEntry } from '../../../src/features/transfer/export-stream.js';
import { signIn } from '../../support/people.js';
import { schema } from '../../support/schema-definitions.js';
import type { TestApp, TestAppOptions } from '../../support/test-app.js';
import {
  everyType,
  exported,
  imported,
  OPTIONS,
  rewritten,
  rowsOf,
  Safe,
  SafeSpare1760000000010,
  startTransferFixture,
  STAYING,
  type TransferFixture,
} from '../../support/transfer-fixture.js';

jest.setTimeout(120_000);

/** Migrations that an older version does not have: one creates the table `views`, one adds the column `spare` to `acme_safe`. */
const NEWER: readonly string[] = [Views1700000000450.name, SafeSpare1760000000010.name];

describe('an export', () => {
  let first: TestApp;
  let source: TransferFixture['source'];
  let root: TransferFixture['root'];
  let ann: TransferFixture['ann'];
  let annToken: TransferFixture['annToken'];
  let key: TransferFixture['key'];
  let safe: TransferFixture['safe'];
  let bytes: TransferFixture['bytes'];
  let everything: TransferFixture['everything'];
  let world: TransferFixture;
  const target = (options?: TestAppOptions): Promise<TestApp> => world.target(options);
  beforeAll(async () => {
    world = await startTransferFixture();
    ({ source, root, ann, annToken, key, safe, bytes, everything } = world);
  });
  afterAll(() => world?.stop());

  it('copies every row to another database, except revoked credentials', async () => {
    first = await target();
    const app = first;
    const { rows } = await imported(app, bytes);
    const after = await rowsOf(app, STAYING);
    expect(after).toEqual(everything);
    expect(rows).toBe(Object.values(after).flat().length);
    expect(Object.keys(everything)).toEqual(
      expect.arrayContaining(['acme_safe', 'users', 'posts', 'everythings', 'api_keys']),
    );
    expect(await app.sql('SELECT 1 FROM sessions')).toEqual([]);
    expect(bytes.toString()).not.toMatch(
      /"table":"(sessions|one_time_secrets|background_jobs|audit_events|migrations)"/,
    );
    expect(bytes.toString()).not.toContain('"table":"_dropped_');
    expect(
      await app.sql(`SELECT action, changes->'rows'->'after' AS rows FROM audit_events WHERE action = 'data.import'`),
    ).toEqual([{ action: 'data.import', rows }]);
    expect(await source.sql(`SELECT actor FROM audit_events WHERE action = 'data.export'`)).toContainEqual({
      actor: 'operator',
    });
  });

  it('works at its destination: accounts, keys, records, numbers and schemas', async () => {
    const app = await first.secondInstance(OPTIONS);
    try {
      await app.as(annToken).get('/api/auth/me').expect(401);
      const token = await signIn(app, ann);
      await app.as(token).get('/api/auth/me').expect(200);
      const service = app.as(key);
      const list = await service
        .get('/api/content/posts?select=id,title,tags.title,category.title&sort=title')
        .expect(200);
      const same = await source.as(key).get('/api/content/posts?select=id,title,tags.title,category.title&sort=title');
      expect(list.body).toEqual(same.body);
      const numbers = [];
      for (const one of [source, app])
        numbers.push(
          (await one.as(key).post('/api/content/everythings', { title: 'next' }).expect(201)).body.data.number,
        );
      expect(numbers[0]).toBe(numbers[1]);
      expect(await app.get(Safe).get(safe)).toEqual({ word: 'sesame' });
      await service.post('/api/schema', { schemas: [schema('later')] }).expect(201);
      await service.post('/api/content/categorys', { title: 'new' }).expect(201);
      const plan = await service.post('/api/schema/plan', { schemas: [everyType()] }).expect(200);
      expect(plan.body.data.steps).toEqual([]);
    } finally {
      await app.nest.close();
    }
  });

  it('has the same tables, indexes and keys that the plans of the source created', async () => {
    const objects = (app: TestApp) =>
      app.sql(`SELECT conrelid::regclass::text AS place, conname::text AS name, pg_get_constraintdef(oid) AS definition, convalidated AS valid
          FROM pg_constraint WHERE contype IN ('p', 'u', 'f', 'c') AND connamespace = current_schema()::regnamespace AND conrelid::regclass::text NOT LIKE '%\\_dropped\\_%'
        UNION ALL SELECT tablename, indexname, indexdef, true FROM pg_indexes
          WHERE schemaname = current_schema() AND tablename NOT LIKE '%\\_dropped\\_%' ORDER BY 1, 2, 3`);
    const app = await target();
    await imported(app, bytes);
    const [before, after] = [await objects(source), await objects(app)];
    expect(after).toEqual(before);
  });

  it('can be imported and exported again, compressed and in one pass', async () => {
    const [there, back] = [await target(), await target()];
    const small = await exported(source, true);
    expect(small.length).toBeLessThan(bytes.length / 2);
    await imported(there, small);
    const returned = await exported(there, true);
    const one = async function* (): AsyncGenerator<Buffer> {
      for (const byte of returned.subarray(0, 3)) yield Buffer.from([byte]);
      yield returned.subarray(3);
    };
    await imported(back, one());
    expect(await rowsOf(back, STAYING)).toEqual(await rowsOf(there, STAYING));
    expect(gunzipSync(returned).toString()).toContain('"sha256"');
  });

  it('is a snapshot, independent of concurrent writes', async () => {
    const to = new PassThrough({ highWaterMark: 1 });
    const writing = source.get(DataExport).write({ to });
    const chunks: Buffer[] = [];
    let isWritten = false;
    for await (const chunk of to) {
      chunks.push(chunk as Buffer);
      if (isWritten || !Buffer.concat(chunks).includes('"table":"schema_parts"')) continue;
      isWritten = true;
      await root.post('/api/content/tags', { title: 'too late' }).expect(201);
    }
    await writing;
    expect(isWritten).toBe(true);
    expect(Buffer.concat(chunks).toString()).not.toContain('too late');
  });

  it('omits API keys on request', async () => {
    const app = await target();
    expect(await imported(app, bytes, { withoutKeys: true })).toMatchObject({ left: 1 });
    await app.as(key).get('/api/content/posts').expect(401);
    await signIn(app, ann);
  });

  it('of an older version is migrated: tables and columns of newer migrations of the service and the application', async () => {
    const app = await target();
    await imported(app, await rewritten(bytes, asOlder()));
    for (const table of ['lintel_migrations', 'app_migrations'])
      expect(await app.sql(`SELECT name FROM ${table} ORDER BY name`)).toEqual(
        await source.sql(`SELECT name FROM ${table} ORDER BY name`),
      );
    expect(await app.sql('SELECT 1 FROM views')).toEqual([]);
    expect(await app.sql('SELECT DISTINCT spare FROM acme_safe')).toEqual([{ spare: null }]);
    expect(await app.get(Safe).get(safe)).toEqual({ word: 'sesame' });
    await app.get(SchemaSnapshots).latest();
    await app.as(key).get('/api/content/posts').expect(200);
    await app.as(key).get('/api/content/views').expect(200);
  });
});

/** Changes an export to that of an older version: removes the migrations in NEWER, with their table and column. */
function asOlder(): (entry: ExportEntry) => ExportEntry[] {
  let table = '';
  let spare = -1;
  return (entry) => {
    if (entry.kind === 'header') {
      const [migrations, own] = [entry.header.migrations, entry.header.own_migrations];
      const older = { migrations: migrations.filter(isOlder), own_migrations: own.filter(isOlder) };
      expect([older.migrations.length, older.own_migrations.length]).toEqual([migrations.length - 1, own.length - 1]);
      return [{ kind: 'header', header: { ...entry.header, ...older } }];
    }
    if (entry.kind === 'table') {
      table = entry.name;
      spare = table === 'acme_safe' ? entry.columns.indexOf('spare') : -1;
    }
    if (table === 'views' && (entry.kind === 'table' || entry.kind === 'row')) return [];
    if (entry.kind === 'table' && spare >= 0) return [{ ...entry, columns: entry.columns.toSpliced(spare, 1) }];
    if (entry.kind !== 'row' || spare < 0) return [entry];
    return [{ ...entry, text: JSON.stringify((JSON.parse(entry.text) as unknown[]).toSpliced(spare, 1)) }];
  };
}

function isOlder(migration: string): boolean {
  return !NEWER.includes(migration);
}
