import { EventEmitter } from 'node:events';
import type { DataSource } from 'typeorm';
import { type ChangeNotice, NoticeConnection } from './notice-connection.js';

interface Check {
  readonly cursor: string;
  readonly epoch: string;
  readonly behind: boolean;
  readonly notices: readonly [string, string][];
}

const quiet: Check = { cursor: '10:20:', epoch: 'one 00000001', behind: false, notices: [] };

/** Stays connected whatever happens to the database, as a connection to a pooler does. */
class ScriptedClient extends EventEmitter {
  readonly backendPid = 1;
  readonly queries: unknown[][] = [];

  constructor(private readonly checks: Check[]) {
    super();
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  query(text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
    if (text.includes('pg_backend_pid')) return Promise.resolve({ rows: [{ pid: 2, full: true }] });
    if (!text.includes('change_notices')) return Promise.resolve({ rows: [quiet] });
    this.queries.push(values);
    return Promise.resolve({ rows: [this.checks.shift() ?? quiet] });
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}

async function receivedFrom(
  ...checks: Check[]
): Promise<{ resyncs: number; notices: ChangeNotice[]; queries: unknown[][] }> {
  const client = new ScriptedClient([...checks]);
  const dataSource = { driver: { master: { createClient: () => client } } } as unknown as DataSource;
  const received = { resyncs: 0, notices: [] as ChangeNotice[] };
  const connection = new NoticeConnection(dataSource, {
    resync: () => (received.resyncs += 1),
    notices: (notices) => received.notices.push(...notices),
  });
  connection.start();
  for (let turn = 0; turn < checks.length; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.emit('notification');
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  await connection.stop();
  // The connection itself causes one resync.
  return { ...received, resyncs: received.resyncs - 1, queries: client.queries };
}

const notice: Check = { ...quiet, cursor: '20:30:', notices: [['session', 'a']] };

describe('the change feed', () => {
  it('reads from the snapshot of the last check, and returns each notification once', async () => {
    const { resyncs, notices, queries } = await receivedFrom(notice, quiet);
    expect({ resyncs, notices }).toEqual({ resyncs: 0, notices: [{ topic: 'session', key: 'a' }] });
    expect(queries.slice(0, 2)).toEqual([['10:20:'], ['20:30:']]);
  });

  it.each<[string, Partial<Check>]>([
    ['another timeline', { epoch: 'one 00000002' }],
    ['another server', { epoch: 'two 00000001' }],
    ['a database that has lost transactions', { behind: true }],
    ['another timeline, with notices', { epoch: 'one 00000002', notices: [['session', 'b']] }],
  ])('resynchronises on %s, although the connection stays', async (_, change) => {
    const { resyncs, notices } = await receivedFrom({ ...quiet, ...change, cursor: '5:6:' });
    expect(resyncs).toBeGreaterThanOrEqual(1);
    expect(notices).toEqual([]);
  });

  it('continues from the new history without another resynchronisation', async () => {
    const after = { ...notice, epoch: 'one 00000002' };
    const { resyncs, notices, queries } = await receivedFrom(
      { ...quiet, epoch: 'one 00000002', cursor: '5:6:' },
      after,
    );
    // The scripted database returns to its first history at the end.
    expect(resyncs).toBeLessThanOrEqual(2);
    expect(notices).toEqual([{ topic: 'session', key: 'a' }]);
    expect(queries[1]).toEqual(['5:6:']);
  });
});
