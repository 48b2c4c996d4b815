import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import pg from 'pg';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';

interface Driver {
  query(this: unknown, ...parameters: unknown[]): unknown;
}

/** A statement as a connection was given it. */
export interface SentStatement {
  readonly client: unknown;
  readonly text: string;
}

/** Holds in everything that a worker of jobs begins by itself. */
const inBackground = new AsyncLocalStorage<true>();

for (const name of ['onApplicationBootstrap', 'wake'] as const) {
  const begin = JobWorker.prototype[name] as (this: JobWorker) => Promise<void>;
  JobWorker.prototype[name] = function (this: JobWorker): Promise<void> {
    return inBackground.run(true, () => begin.call(this));
  };
}

// A statement that waits for a connection would be begun by whoever gives one back.
type Connect = (this: pg.Pool, done?: () => void) => unknown;
const connect = pg.Pool.prototype.connect as Connect;
pg.Pool.prototype.connect = function (this: pg.Pool, done?: () => void) {
  return connect.call(this, done && AsyncResource.bind(done));
} as Connect as pg.Pool['connect'];

/**
 * Returns what all connections of this process are given while the work runs, in that order. What workers of jobs do meanwhile is not
 * in it, as it comes when it is due: work on schedules, and the jobs that nobody drains. Nor is the set-up of a new connection.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly SentStatement[]> {
  const sent: SentStatement[] = [];
  const driver = pg.Client.prototype as unknown as Driver;
  const send = driver.query;
  const spy = jest.spyOn(driver, 'query').mockImplementation(function (this: unknown, ...parameters) {
    const [query] = parameters;
    const text = (query as { text?: string }).text ?? String(query);
    const { name = '' } = query as { name?: string };
    const isSetUp = text.endsWith(' AS differing') || name === 'lintel-isolation' || name === 'lintel-settings';
    if (inBackground.getStore() === undefined && !isSetUp) sent.push({ client: this, text });
    return send.apply(this, parameters);
  });
  try {
    await work();
    return sent;
  } finally {
    spy.mockRestore();
  }
}
