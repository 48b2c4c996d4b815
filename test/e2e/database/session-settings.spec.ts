import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../../src/platform/database/connections/data-source.js';
import { poolOf } from '../../../src/platform/database/connections/database-pool.js';
import { runTextQuery } from '../../../src/platform/database/text-query.js';
import { DatabaseProxy, type ProxyBehaviour } from '../../support/database-proxy.js';
import { onServer } from '../../support/server-statements.cjs';
import { createDatabase, testServer } from '../../support/test-server.js';

/** Each setting changes the meaning of SQL for a client that relies on the defaults. */
const HOSTILE = {
  timezone: 'Asia/Kolkata',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  search_path: 'elsewhere, public',
};

/** Values whose text depends on the settings. */
const SAMPLES = String.raw`SELECT 0.1::float8::text, '2026-03-04'::date::text, '2026-01-02 03:04:05'::timestamptz::text,
  '\x01ff'::bytea::text, '1 day 02:00'::interval::text, $1 || '\', current_setting('transaction_isolation'),
  current_schema()::text`;
const MEANT = ['0.1', '2026-03-04', '2026-01-02 03:04:05+00', '\\x01ff', 'P1DT2H', 'a\\', 'read committed', 'public'];

describe('settings of the server, the database or the role', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let proxy: DatabaseProxy;
  let source: DataSource;
  let name: string;

  beforeAll(async () => {
    database = await createDatabase(true);
    name = new URL(database.address.url).pathname.slice(1);
    await onServer(direct(), 'CREATE SCHEMA elsewhere');
    for (const [setting, value] of Object.entries(HOSTILE)) {
      const text = setting === 'search_path' ? value : `'${value}'`;
      await onServer(testServer().address, `ALTER DATABASE ${name} SET ${setting} = ${text}`);
    }
    proxy = await DatabaseProxy.open(direct());
  });

  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  afterEach(() => source.destroy());

  /** Bypasses the pooler of the run, which may have older sessions. */
  function direct(): { url: string } {
    const url = new URL(testServer().address.url);
    url.pathname = `/${name}`;
    return { url: url.href };
  }

  async function connect(behaviour: ProxyBehaviour, schema?: string): Promise<DataSource> {
    proxy.behaviour = behaviour;
    const address = { url: proxy.url, ...(schema === undefined ? {} : { schema }) };
    source = createDataSource({ address, entities: [], poolSize: 4, statementTimeoutMs: 5_000 });
    return source.initialize();
  }

  describe.each<ProxyBehaviour>(['pass', 'pooler'])('with connections that %s', (behaviour) => {
    beforeEach(async () => void (await connect(behaviour)));

    it('do not affect a statement outside of a transaction', async () => {
      const statement = { name: 'samples', text: SAMPLES };
      for (let turn = 0; turn < 3; turn += 1) expect(await runTextQuery(source, statement, ['a'])).toEqual([MEANT]);
      const [row] = await source.query<Record<string, string>[]>(SAMPLES.replaceAll('::text,', '::text AS "?",'), [
        'a',
      ]);
      expect(Object.values(row ?? {}).at(-1)).toBe('public');
      await expect(source.query(`SELECT '03/04/2026'::date`)).rejects.toThrow(/out of range/);
      expect(await source.query(`SELECT 0.1::float8::text AS x, '\\' AS y`)).toEqual([{ x: '0.1', y: '\\' }]);
    });

    it('do not affect a statement in a transaction, and keep its isolation level', async () => {
      await source.transaction(async ({ queryRunner }) => {
        const client = (await queryRunner!.connect()) as PoolClient;
        const { rows } = await client.query<string[]>({ text: SAMPLES, values: ['a'], rowMode: 'array' });
        expect(rows).toEqual([MEANT]);
      });
      const level = await source.transaction('REPEATABLE READ', (manager) =>
        manager.query('SHOW transaction_isolation'),
      );
      expect(level).toEqual([{ transaction_isolation: 'repeatable read' }]);
    });

    it('let 16 writers change one row in turn', async () => {
      await source.query('CREATE TABLE IF NOT EXISTS tally (id int PRIMARY KEY, count int)');
      await source.query('INSERT INTO tally VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET count = 0');
      const add = { name: 'add', text: 'UPDATE tally SET count = count + $1::int WHERE id = 1' };
      for (let turn = 0; turn < 5; turn += 1)
        await Promise.all(Array.from({ length: 16 }, () => runTextQuery(source, add, [1])));
      expect(await source.query('SELECT count FROM tally')).toEqual([{ count: 80 }]);
    });

    it('report an error of a statement, and keep the connection', async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        await expect(runTextQuery(source, { name: 'wrong', text: 'SELECT 1/$1::int' }, [0])).rejects.toThrow(/zero/);
        await expect(source.query('SELECT nothing')).rejects.toThrow(/nothing/);
        expect(await source.query('SELECT $1::int AS n', [turn])).toEqual([{ n: turn }]);
      }
    });
  });

  it('are not changed in the sessions of a pooler, which other clients share', async () => {
    await connect('pooler');
    await source.query('SELECT 1');
    const client = await poolOf(source).connect();
    // A statement to which the service does not add the settings.
    const { rows } = await client.query<Record<string, string>>('SHOW extra_float_digits');
    const path = await client.query<Record<string, string>>('SHOW search_path');
    client.release();
    expect([rows[0], path.rows[0]]).toEqual([{ extra_float_digits: '-15' }, { search_path: 'elsewhere, public' }]);
  });

  it.each<ProxyBehaviour>(['pass', 'pooler'])('do not move tables out of DATABASE_SCHEMA: %s', async (behaviour) => {
    await connect(behaviour, 'elsewhere');
    expect(await source.query('SELECT current_schemas(false)::text AS path')).toEqual([{ path: '{elsewhere}' }]);
    await source.transaction(async (manager) => {
      expect(await manager.query('SELECT current_schemas(false)::text AS path')).toEqual([{ path: '{elsewhere}' }]);
    });
  });
});
