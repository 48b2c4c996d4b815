import { Writable } from 'node:stream';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { applicationTables } from '../../../src/app.module.js';
import type { DatabaseAddress } from '../../../src/platform/database/connections/data-source.js';
import {
  Migrator,
  migrate,
  serviceMigrator,
  unknownMigrations,
} from '../../../src/platform/database/migrations/migrator.js';
import { DataExport } from '../../../src/features/transfer/data-export.service.js';
import { RestoredDatabase } from '../../../src/platform/backup/restored-database.service.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { onServer, withDatabase } from '../../support/server-statements.cjs';
import { TestApp } from '../../support/test-app.js';
import { createDatabase, testServer } from '../../support/test-server.js';

const TABLES = applicationTables();
const RELATIONS = `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'p', 'v', 'S') ORDER BY 1`;

describe('a database shared with other applications', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let plain: DatabaseAddress;

  beforeEach(async () => {
    database = await createDatabase(true);
    plain = withDatabase(testServer().address, new URL(database.address.url).pathname.slice(1));
  });
  afterEach(() => database.drop());

  const relations = async (of = 'public'): Promise<string[]> =>
    ((await onServer(plain, RELATIONS)) as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith(`${of}.`));
  const at = (name?: string): DatabaseAddress => ({
    ...database.address,
    ...(name === undefined ? {} : { schema: name }),
  });

  async function asLaravel(): Promise<void> {
    await onServer(plain, 'CREATE TABLE users (id bigserial PRIMARY KEY, name text)');
    await onServer(plain, 'CREATE TABLE migrations (id serial PRIMARY KEY, migration text, batch int)');
    await onServer(
      plain,
      `INSERT INTO migrations (migration, batch) VALUES ('2014_10_12_000000_create_users_table', 1)`,
    );
  }

  async function asTypeOrm(): Promise<void> {
    await onServer(plain, 'CREATE TABLE migrations (id serial PRIMARY KEY, "timestamp" bigint, name varchar)');
    await onServer(plain, `INSERT INTO migrations ("timestamp", name) VALUES (1700000000000, 'Init1700000000000')`);
    await onServer(plain, 'CREATE TABLE "typeorm_metadata" (type varchar)');
  }

  it('stops the start beside tables of the same names with one message, and changes nothing', async () => {
    await asLaravel();
    const before = await relations();
    await expect(migrate(at(), TABLES)).rejects.toThrow(
      'The PostgreSQL schema public contains tables of another application with names that Lintel needs: users. Set DATABASE_SCHEMA=lintel to use a separate schema of this database.',
    );
    await onServer(plain, 'ALTER TABLE users RENAME TO people');
    await onServer(plain, 'CREATE VIEW sessions AS SELECT 1 AS id');
    await expect(migrate(at(), TABLES)).rejects.toThrow(/names that Lintel needs: sessions\./);
    expect((await relations()).length).toBe(before.length + 1);
  });

  it('may have a table of migrations, which stays unchanged', async () => {
    await asTypeOrm();
    expect(await migrate(at(), TABLES)).toHaveLength(TABLES.migrations.length);
    expect(await onServer(plain, 'SELECT name FROM migrations')).toEqual([{ name: 'Init1700000000000' }]);
    expect(await unknownMigrations(at(), TABLES)).toEqual([]);
  });

  it('has everything in DATABASE_SCHEMA, and nothing else is changed', async () => {
    await asLaravel();
    const before = await relations();
    const connection = { address: at('lintel'), embedded: false, release: () => Promise.resolve() };
    const app = await TestApp.start({ connection, env: { DATABASE_SCHEMA: 'lintel' } });
    try {
      const admin = await asAdmin(app);
      await admin.post('/api/schema', schema('note')).expect(201);
      const { body } = await admin.post('/api/content/note', { title: 'a' }).expect(201);
      await admin.patch(`/api/content/note/${body.data.id}`, { title: 'b' }).expect(200);
      expect((await admin.get('/api/content/note').expect(200)).body.data.items).toMatchObject([{ title: 'b' }]);
      const narrowed = schema('note', [field('int', 'rank', { optional: true, unique: true })]);
      await admin.put('/api/schema/note', narrowed).expect(200);
      await admin.post('/api/schema/undo', {}).expect(200);
      const counts = await app.get(RestoredDatabase).countRows();
      expect(counts).toMatchObject({ notes: 1, lintel_migrations: TABLES.migrations.length });
      let text = '';
      const to = new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) });
      await app.get(DataExport).write({ to });
      expect(text).toContain('"notes"');
    } finally {
      await app.stop();
    }
    expect(await relations()).toEqual(before);
    expect(await relations('lintel')).toEqual(expect.arrayContaining(['lintel.users', 'lintel.notes']));
    expect(await onServer(plain, 'SELECT * FROM public.users')).toEqual([]);
  });

  it('creates the schema once when 16 instances start together', async () => {
    const applied = await Promise.all(Array.from({ length: 16 }, () => serviceMigrator(at('shared'), TABLES).up()));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await relations()).toEqual([]);
    const migrator = serviceMigrator(at('shared'), TABLES);
    expect((await migrator.status()).every(({ applied: is }) => is)).toBe(true);
    expect(await migrator.down()).toMatch(/\d{13}$/);
  });

  it('reports pending migrations of a schema that does not exist, and creates none', async () => {
    expect((await serviceMigrator(at('absent'), TABLES).status()).some(({ applied }) => applied)).toBe(false);
    expect(await onServer(plain, `SELECT to_regnamespace('absent') AS found`)).toEqual([{ found: null }]);
  });

  it('names migrations that the application does not know', async () => {
    await migrate(at(), TABLES);
    await onServer(
      plain,
      `INSERT INTO lintel_migrations ("timestamp", name) VALUES (1900000000000, 'Newer1900000000000')`,
    );
    await onServer(plain, 'CREATE TABLE app_migrations (id serial, "timestamp" bigint, name varchar)');
    await onServer(plain, `INSERT INTO app_migrations ("timestamp", name) VALUES (1800000000000, 'Shop1800000000000')`);
    expect(await unknownMigrations(at(), TABLES)).toEqual(['Newer1900000000000', 'Shop1800000000000']);
    const connection = { address: at(), embedded: false, release: () => Promise.resolve() };
    const app = await TestApp.start({ connection, env: { LOG_LEVEL: 'warn' } });
    const warnings = app.log.filter((line) => line.includes('migrations that this application does not have'));
    await app.stop();
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0]!)).toMatchObject({ migrations: ['Newer1900000000000', 'Shop1800000000000'] });
  });
});

describe('a migration that fails', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => void (database = await createDatabase(true)));
  afterAll(() => database.drop());

  const failing = (sql: string) =>
    class Orders1795300000000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query(sql);
      }
      async down(): Promise<void> {}
    };

  it.each([
    [
      'CREATE TABEL orders (id int)',
      'The migration Orders1795300000000 failed at line 1, column 8 of a statement: syntax error at or near "TABEL". It was rolled back completely.',
    ],
    [
      'CREATE TABLE orders (\n  id int,\n  name texxt)',
      'The migration Orders1795300000000 failed at line 3, column 8 of a statement: type "texxt" does not exist. It was rolled back completely.',
    ],
    ['SELECT 1 / 0', 'The migration Orders1795300000000 failed: division by zero. It was rolled back completely.'],
    [
      'CREATE TABLE taken ()',
      'The migration Orders1795300000000 failed: relation "taken" already exists. It was rolled back completely. Set DATABASE_SCHEMA to a separate PostgreSQL schema.',
    ],
  ])('reports its name, the position and the reason: %s', async (sql, message) => {
    const plain = withDatabase(testServer().address, new URL(database.address.url).pathname.slice(1));
    await onServer(plain, 'CREATE TABLE IF NOT EXISTS taken (id int)');
    await expect(new Migrator(database.address, [failing(sql)]).up()).rejects.toThrow(message);
    expect(await onServer(plain, `SELECT to_regclass('orders') AS found`)).toEqual([{ found: null }]);
  });
});

describe('a database with another encoding', () => {
  it.each(['SQL_ASCII', 'LATIN1'])('%s stops the start with one message', async (encoding) => {
    const name = `lintel_test_${encoding.toLowerCase()}_${process.pid}`;
    const { address } = testServer();
    const locale = `LC_COLLATE 'C' LC_CTYPE 'C'`;
    await onServer(address, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' ${locale}`);
    try {
      await expect(migrate(withDatabase(address, name), TABLES)).rejects.toThrow(
        `The database has the encoding ${encoding}, which cannot store every text. Create a database with ENCODING 'UTF8' and set DATABASE_URL to it.`,
      );
    } finally {
      await onServer(address, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});
