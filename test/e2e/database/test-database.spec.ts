import type { MigrationInterface, QueryRunner } from 'typeorm';
import { applicationTables } from '../../../src/app.module.js';
import { Migrator } from '../../../src/platform/database/migrations/migrator.js';
import { createTestDatabase, templateName, type TestDatabase } from '../../../src/testing/test-database.js';
import { onServer } from '../../support/server-statements.cjs';
import { createDatabase, testServer } from '../../support/test-server.js';

/** Processes of another run have no migration of this name. */
class Kitchen1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE kitchens (name text)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE kitchens');
  }
}
/** The same name with other content. */
const CHANGED = {
  Kitchen1795300000000: class implements MigrationInterface {
    readonly name = 'Kitchen1795300000000';
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('CREATE TABLE kitchens (name text, pots integer)');
    }
    async down(): Promise<void> {}
  },
}.Kitchen1795300000000;

const DAY_MS = 86_400_000;
const tables = applicationTables({ migrations: [Kitchen1795300000000] });
const changed = applicationTables({ migrations: [CHANGED] });
const url = (mark = ''): string => `${testServer().address.url}${mark === '' ? '' : `?application_name=${mark}`}`;

async function namesLike(prefix: string): Promise<string[]> {
  const rows = await onServer<{ datname: string }>(
    testServer().address,
    `SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`,
  );
  return rows.map(({ datname }) => datname).sort();
}

it('the template database of our tests has every migration', async () => {
  const { address, drop } = await createDatabase();
  const status = await new Migrator(address, applicationTables().migrations).status();
  await drop();
  expect(status.length).toBeGreaterThan(0);
  expect(status.filter(({ applied }) => !applied)).toEqual([]);
});

describe('databases of test applications', () => {
  const made: TestDatabase[] = [];
  const make = async (mark?: string, of = tables): Promise<TestDatabase> => {
    const database = await createTestDatabase(of, url(mark));
    made.push(database);
    return database;
  };

  afterAll(async () => {
    await Promise.all(made.map((database) => database.drop()));
    for (const name of [templateName(tables), templateName(changed)])
      await onServer(testServer().address, `DROP DATABASE ${name}`);
  });

  it('are copies of a template that sixteen concurrent requests create once', async () => {
    // A mark creates an address that is new to this process, as it would be to another process.
    const databases = await Promise.all(Array.from({ length: 16 }, (_, at) => make(`process${at}`)));
    expect(new Set(databases.map(({ address }) => address.url)).size).toBe(16);
    const status = await new Migrator(databases[0]!.address, tables.migrations).status();
    expect(status.filter(({ applied }) => !applied)).toEqual([]);
    expect(await namesLike(templateName(tables))).toEqual([templateName(tables)]);
    expect(await onServer(databases[15]!.address, 'SELECT count(*)::int AS n FROM kitchens')).toEqual([{ n: 0 }]);
  });

  it('have another template if a migration differs', async () => {
    const { address } = await make('', changed);
    expect(await onServer(address, 'SELECT pots FROM kitchens')).toEqual([]);
  });

  it('are removed when they are dropped, with any open connections', async () => {
    const database = await make();
    const name = new URL(database.address.url).pathname.slice(1);
    expect(await namesLike(name)).toEqual([name]);
    await database.drop();
    expect(await namesLike(name)).toEqual([]);
  });

  it('that were abandoned are dropped later, and those of others are not', async () => {
    const ago = (days: number): string => (Date.now() - days * DAY_MS).toString(36);
    const old = [`lintel_testing_${ago(2)}_0a0a0a0a`, 'lintel_testing_template_00unused'];
    const young = [`lintel_testing_${ago(0.5)}_0a0a0a0a`, 'lintel_testing_template_00recent', 'lintel_testingground'];
    try {
      for (const name of [...old, ...young]) await onServer(testServer().address, `CREATE DATABASE ${name}`);
      for (const [name, days] of [
        ['00unused', 31],
        ['00recent', 29],
      ] as const)
        await onServer(
          testServer().address,
          `COMMENT ON DATABASE lintel_testing_template_${name} IS '${Date.now() - days * DAY_MS}'`,
        );
      await make('later');
      const left = await namesLike('lintel_testing');
      expect(left).toEqual(expect.arrayContaining(young));
      expect(left.filter((name) => old.includes(name))).toEqual([]);
    } finally {
      for (const name of [...old, ...young])
        await onServer(testServer().address, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  });
});
