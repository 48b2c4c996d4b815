import { buffer } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { Injectable, Module } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { DataExport } from '../../src/features/transfer/data-export.service.js';
import { DataImport, type ImportRequest } from '../../src/features/transfer/data-import.service.js';
import { type ExportEntry, ExportWriter, readExport } from '../../src/features/transfer/export-stream.js';
import { quoted, readTables } from '../../src/features/transfer/moved-tables.js';
import { defineKeyPurpose } from '../../src/kernel/keys/key-derivation.js';
import { KeyRing } from '../../src/kernel/keys/key-ring.js';
import { newId } from '../../src/kernel/keys/random.js';
import { Tables } from '../../src/platform/database/tables.decorator.js';
import { storedSecrets } from '../../src/platform/keys/key-rotation.service.js';
import { makeServiceKey } from './api-keys.js';
import { makeMagazine } from './content-fixture.js';
import { type Person, signedIn } from './people.js';
import { field, relation, schema } from './schema-definitions.js';
import { TestApp, type TestAppOptions } from './test-app.js';
import type { TestClient } from './test-client.js';

const SAFE = defineKeyPurpose('transfer.spec', 'survives');
/** Tables that an export excludes. */
export const STAYING = [
  'sessions',
  'refresh_tokens',
  'one_time_secrets',
  'pending_logins',
  'setup_tokens',
  'used_carriers',
  'code_requesters',
  'idempotency_keys',
  'background_jobs',
  'schema_leftovers',
  'schema_file_writes',
  'change_notices',
  'lintel_migrations',
  'app_migrations',
  'audit_events',
  'audit_seals',
  'audit_head',
];

export const RUNNING = ['background_jobs', 'change_notices', 'audit_events', 'audit_seals', 'audit_head'];

/** A custom table with a sequence and an encrypted value. */
class Safe1760000000009 implements MigrationInterface {
  readonly name = 'Safe1760000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE acme_safe (id uuid PRIMARY KEY, number serial, secret text NOT NULL,
      parent uuid REFERENCES acme_safe, odd text[] NOT NULL DEFAULT '{}', twice integer GENERATED ALWAYS AS (number * 2) STORED)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_safe');
  }
}

export class SafeSpare1760000000010 implements MigrationInterface {
  readonly name = 'SafeSpare1760000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE acme_safe ADD COLUMN spare interval');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE acme_safe DROP COLUMN spare');
  }
}

@Injectable()
export class Safe {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly ring: KeyRing,
  ) {}

  async put(content: object, parent: string | null = null): Promise<string> {
    const id = newId();
    await this.dataSource.query(
      `INSERT INTO acme_safe (id, secret, parent, odd, spare) VALUES ($1, $2, $3, $4, '1 mon 2 days -00:00:03')`,
      [id, this.ring.cipher(SAFE).seal(id, content), parent, ['a "quoted" one', 'ü\\', 'NULL']],
    );
    return id;
  }

  async get(id: string): Promise<unknown> {
    const rows = await this.dataSource.query<{ secret: string }[]>('SELECT secret FROM acme_safe WHERE id = $1', [id]);
    return rows[0] === undefined ? null : this.ring.cipher(SAFE).open(id, rows[0].secret);
  }
}

@Tables({ migrations: [Safe1760000000009, SafeSpare1760000000010], others: ['acme_safe'] })
@Module({
  providers: [
    Safe,
    storedSecrets({ name: 'acme.safe', purpose: SAFE, table: 'acme_safe', sealed: 'secret', label: ({ id }) => id }),
  ],
})
class SafeModule {}

export const OPTIONS: TestAppOptions = { modules: [SafeModule] };

export async function rowsOf(app: TestApp, without: readonly string[] = []): Promise<Record<string, string[]>> {
  const tables = await readTables(app.database.manager);
  const rows: Record<string, string[]> = {};
  for (const { name, columns } of tables.filter(
    (table) => !without.includes(table.name) && !table.name.startsWith('_dropped_'),
  )) {
    const texts = [...columns].sort().map((column) => `${quoted(column)}::text`);
    const found = await app.sql<{ row: string }>(
      `SELECT array_to_json(ARRAY[${texts.join(', ')}]::text[])::text AS row FROM ${quoted(name)} ORDER BY 1`,
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

export async function exported(app: TestApp, compressed = false): Promise<Buffer> {
  const to = new PassThrough();
  const [bytes] = await Promise.all([buffer(to), app.get(DataExport).write({ to, compressed })]);
  return bytes;
}

export function imported(app: TestApp, bytes: Buffer | AsyncIterable<Buffer>, more: Partial<ImportRequest> = {}) {
  const open = async function* (): AsyncGenerator<Buffer> {
    if (!Buffer.isBuffer(bytes)) return yield* bytes;
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  };
  return app.get(DataImport).read({ open, isRepeatable: Buffer.isBuffer(bytes), ...more });
}

export async function rewritten(bytes: Buffer, change: (entry: ExportEntry) => ExportEntry[]): Promise<Buffer> {
  const writer = new ExportWriter();
  const lines: string[] = [];
  const source = async function* (): AsyncGenerator<Buffer> {
    yield bytes;
  };
  for await (const entry of readExport(source()))
    for (const one of change(entry)) lines.push(one.kind === 'row' ? writer.lines([one.text]) : writer.entry(one));
  return Buffer.from(lines.join('') + writer.end());
}

export interface TransferFixture {
  readonly source: TestApp;
  readonly root: TestClient;
  readonly ann: Person;
  readonly annToken: string;
  readonly key: string;
  /** Id of a record with an encrypted value. */
  readonly safe: string;
  readonly bytes: Buffer;
  readonly everything: Record<string, string[]>;
  /** Starts an empty application. It is stopped together with the source. */
  target(options?: TestAppOptions): Promise<TestApp>;
  stop(): Promise<void>;
}

export async function startTransferFixture(): Promise<TransferFixture> {
  const source = await TestApp.start(OPTIONS);
  const apps: TestApp[] = [source];
  const { root } = await makeMagazine(source);
  await root.post('/api/schema', { schemas: [everyType(), gone()] }).expect(201);
  const { token: annToken, person: ann } = await signedIn(source, { username: 'ann' });
  const { key } = await makeServiceKey(source, root.token!, ['admin']);
  await fillMagazine(root, ann.id);
  await root.delete('/api/schema/gone?allow_data_loss=true').expect(200);
  const safe = await source.get(Safe).put({ word: 'sesame' });
  await source.get(Safe).put({ word: 'open' }, safe);
  const bytes = await exported(source);
  const everything = await rowsOf(source, STAYING);
  return {
    source,
    root,
    ann,
    annToken,
    key,
    safe,
    bytes,
    everything,
    async target(options = OPTIONS) {
      const app = await TestApp.start({ ...options, clock: source.clock });
      apps.push(app);
      return app;
    },
    async stop() {
      for (const app of apps.reverse()) await app.stop();
    },
  };
}

export function everyType(): unknown {
  const types = ['bool', 'time', 'json', 'uuid', 'bytes', 'string', 'text', 'float32', 'float64', 'int', 'uint'];
  const sized = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'];
  return schema('everything', [
    ...[...types, ...sized].map((type) => field(type, `a_${type}`, { optional: true })),
    field('enum', 'an_enum', { optional: true, enums: [{ value: 'one' }, { value: 'two' }] }),
    field('int', 'number', { db: { increment: true } }),
    field('string', 'loud', { optional: true, setter: 'upper(value)' }),
    field('file', 'cover', { optional: true }),
    relation('twin', 'everything', 'twin_of', 'o2o', { owner: true }),
    relation('twin_of', 'everything', 'twin', 'o2o'),
  ]);
}

function gone(): unknown {
  return schema('gone');
}

const VALUES = [
  {
    a_bool: true,
    a_time: '2026-11-22T20:15:00.123Z',
    a_json: { deep: [1, null, 'ü"\\', { '': 1e300 }] },
    a_uuid: '0190d5a0-0000-7000-8000-000000000001',
    a_bytes: Buffer.from([0, 1, 10, 34, 92, 255]).toString('base64'),
    a_string: 'line\nfeed\ttab "quotes" \\N \\. {a,b}',
    a_text: `${'long '.repeat(10_000)}🔑`,
    a_float32: 0.1,
    a_float64: -1.7976931348623157e308,
    a_int: Number.MAX_SAFE_INTEGER,
    a_uint: 0,
    a_int8: -128,
    a_int16: -32_768,
    a_int32: -2_147_483_648,
    a_int64: '-9223372036854775808',
    a_uint8: 255,
    a_uint16: 65_535,
    a_uint32: 4_294_967_295,
    a_uint64: '18446744073709551615',
    an_enum: 'two',
    loud: 'quiet',
  },
  { a_bool: false, a_time: '0001-01-01T00:00:00.000Z', a_json: null, a_string: '', a_text: ' ', a_float64: 5e-324 },
  {},
];

/** Fills all schemas: every kind of link, deleted records, and skipped sequence values. */
async function fillMagazine(root: TestClient, owner: string): Promise<void> {
  const make = async (schemaName: string, body: object): Promise<string> =>
    ((await root.post(`/api/content/${schemaName}`, body).expect(201)).body as { data: { id: string } }).data.id;
  const parent = await make('categorys', { title: 'parent' });
  const category = await make('categorys', { title: 'child', parent });
  const tags = [await make('tags', { title: 'one' }), await make('tags', { title: 'two' })];
  await make('posts', {
    title: 'first',
    category,
    tags,
    owner,
    slug: 'first',
    comments: [{ title: 'nice' }, { title: 'nicer' }],
  });
  await make('posts', { title: 'second', tags: [tags[0]], category: parent });
  const deleted = await make('posts', { title: 'deleted', tags, slug: 'gone' });
  await root.delete(`/api/content/posts/${deleted}`).expect(200);
  const all: string[] = [];
  for (const [at, values] of VALUES.entries())
    all.push(await make('everythings', { title: `every ${at}`, ...values, ...(at === 1 && { twin: all[0] }) }));
  await make('everythings', { title: 'skipped' }).then((id) => root.delete(`/api/content/everythings/${id}`));
  await make('gones', { title: 'gone' });
}
