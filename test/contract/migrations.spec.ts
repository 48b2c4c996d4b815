import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applicationTables } from '../../src/app.module.js';
import { createDataSource } from '../../src/platform/database/connections/data-source.js';
import { Migrator } from '../../src/platform/database/migrations/migrator.js';
import { parseObjects, readObjects, writeObjects } from '../support/database-catalogue.js';
import { onServer } from '../support/server-statements.cjs';
import { createDatabase } from '../support/test-server.js';

/** All objects that the migrations create. To write the file: `WRITE_SCHEMA=1 npm test -- test/contract/migrations.spec.ts`. */
const DESCRIPTION = join(__dirname, 'schema.txt');
const { entities, migrations } = applicationTables();

describe('the migrations of the service', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let migrator: Migrator;

  beforeEach(async () => {
    database = await createDatabase(true);
    migrator = new Migrator(database.address, migrations);
  });
  afterEach(() => database.drop());

  it('create the objects of test/contract/schema.txt and no others', async () => {
    await migrator.up();
    const objects = await readObjects(database.address);
    if (process.env['WRITE_SCHEMA'] === '1') writeFileSync(DESCRIPTION, writeObjects(objects));
    expect(objects).toEqual(parseObjects(readFileSync(DESCRIPTION, 'utf8')));
  });

  it('create the tables of the entities', async () => {
    await migrator.up();
    const { address } = database;
    const source = createDataSource({ address, entities, poolSize: 2, statementTimeoutMs: 0 });
    await source.initialize();
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('have different timestamps, so that all databases apply them in one order', () => {
    const timestamps = migrations.map(({ name }) => name.slice(-13));
    expect(new Set(timestamps).size).toBe(timestamps.length);
  });

  it('are applied, reverted to nothing, and applied again', async () => {
    const names = await migrator.up();
    const objects = await readObjects(database.address);
    expect(names.length).toBe((await migrator.status()).length);
    expect(await migrator.up()).toEqual([]);
    const reverted: (string | null)[] = [];
    for (const _ of names) reverted.push(await migrator.down());
    expect(reverted).toEqual([...names].reverse());
    expect(await migrator.down()).toBeNull();
    expect(Object.keys(await readObjects(database.address))).toEqual([
      'sequence lintel_migrations_id_seq',
      'table lintel_migrations',
    ]);
    expect(await migrator.up()).toEqual(names);
    expect(await readObjects(database.address)).toEqual(objects);
  });

  it('keep the migrations of an application in the same table, whichever is reverted', async () => {
    const names = await migrator.up();
    const own = (statement: string): Promise<unknown[]> => onServer(database.address, statement);
    await own(`INSERT INTO lintel_migrations (timestamp, name) VALUES (1795300000000, 'AcmeOrders1795300000000')`);
    expect(await migrator.down()).toBe(names.at(-1));
    expect(await migrator.down()).toBe(names.at(-2));
    expect(await migrator.up()).toEqual(names.slice(-2));
    expect(await own(`SELECT name FROM lintel_migrations WHERE name LIKE 'Acme%'`)).toHaveLength(1);
    for (const _ of names) await migrator.down();
    expect(await migrator.down()).toBeNull();
    expect(await own('SELECT name FROM lintel_migrations')).toEqual([{ name: 'AcmeOrders1795300000000' }]);
  });

  it('are applied once when three instances migrate at the same time', async () => {
    const { address } = database;
    const applied = await Promise.all([1, 2, 3].map(() => new Migrator(address, migrations).up()));
    expect(applied.flat().length).toBe((await migrator.status()).length);
  });
});
