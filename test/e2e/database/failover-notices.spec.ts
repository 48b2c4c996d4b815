import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { EmbeddedPostgresLease } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import {
  acquire,
  makeDirectory,
  removeDirectory,
} from '../../../packages/embedded-postgres/test/support/directories.js';
import { type ChangeNotice, NoticeConnection } from '../../../src/platform/events/notice-connection.js';
import { until } from '../../support/mailbox.js';
import { builtProduct } from '../../support/service.js';

jest.setTimeout(180_000);

const TABLE = `CREATE TABLE change_notices (id bigserial PRIMARY KEY, topic text NOT NULL, key text NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(), created_at timestamptz NOT NULL DEFAULT now())`;
/** Maximum time for which caches may return values from before a change. */
const TRUST_MS = 1_000;

interface Server {
  readonly directory: string;
  readonly lease: EmbeddedPostgresLease;
  readonly source: DataSource;
}

/** A client of a pooler in transaction mode. It stays connected while the server behind it is replaced. */
class PooledClient extends EventEmitter {
  /** Process id of the pooler, which no process of the server has. */
  readonly backendPid = -1;

  constructor(private readonly server: () => DataSource) {
    super();
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  async query(text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
    return { rows: await this.server().query<object[]>(text, values) };
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}

async function startServer(): Promise<Server> {
  const directory = makeDirectory();
  const lease = await acquire({ directory });
  const source = await new DataSource({ type: 'postgres', url: lease.url }).initialize();
  await source.query(TABLE);
  return { directory, lease, source };
}

describe('the change feed behind a pooler', () => {
  const servers: Server[] = [];
  beforeAll(async () => {
    expect(builtProduct()).toBeDefined();
    servers.push(await startServer(), await startServer());
  });
  afterAll(async () => {
    for (const { source, lease, directory } of servers) {
      await source.destroy();
      await lease.end();
      await removeDirectory(directory);
    }
  });

  it('resynchronises within a second when another server with older transaction ids takes over', async () => {
    const [before, after] = servers.map(({ source }) => source) as [DataSource, DataSource];
    for (let count = 0; count < 300; count += 1) await before.query('SELECT pg_current_xact_id()');
    const horizon = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int AS xmax';
    const [ahead, behind] = await Promise.all([before, after].map((one) => one.query<{ xmax: number }[]>(horizon)));
    expect(behind?.[0]?.xmax).toBeLessThan(ahead?.[0]?.xmax ?? 0);

    let current = before;
    const received = { resyncs: 0, notices: [] as ChangeNotice[] };
    const dataSource = { driver: { master: { createClient: () => new PooledClient(() => current) } } };
    const connection = new NoticeConnection(dataSource as unknown as DataSource, {
      resync: () => (received.resyncs += 1),
      notices: (notices) => received.notices.push(...notices),
    });
    const revoke = (key: string) =>
      current.query(`INSERT INTO change_notices (topic, key) VALUES ('session', $1)`, [key]);
    connection.start();
    try {
      await until(() => connection.isFresh(), 'the first check');
      await revoke('first');
      await until(() => received.notices.length === 1, 'a notice of the first server');
      const resyncs = received.resyncs;

      current = after;
      await revoke('second');
      await delay(TRUST_MS);
      expect(received.resyncs).toBe(resyncs + 1);

      // The feed continues on the new server without another resynchronisation.
      await revoke('third');
      await delay(TRUST_MS);
      expect(received.notices.map(({ key }) => key)).toEqual(expect.arrayContaining(['first', 'third']));
      expect(received.resyncs).toBe(resyncs + 1);
    } finally {
      await connection.stop();
    }
  });
});
