import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import pg from 'pg';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';

interface Driver {
  query(this: unknown, ...parameters: unknown[]): unknown;
}

export interface SentStatement {
  readonly client: unknown;
  readonly text: string;
}

/** Marks everything that a job worker starts on its own schedule. */
const inBackground = new AsyncLocalStorage<true>();

for (const name of ['onApplicationBootstrap', 'wake'] as const) {
  const begin = JobWorker.prototype[name] as (this: JobWorker) => Promise<void>;
  JobWorker.prototype[name] = function (this: JobWorker): Promise<void> {
    return inBackground.run(true, () => begin.call(this));
  };
}

// Otherwise a statement that waits for a connection would run in the async context of the caller that releases the connection.
type Connect = (this: pg.Pool, done?: () => void) => unknown;
const connect = pg.Pool.prototype.connect as Connect;
pg.Pool.prototype.connect = function (this: pg.Pool, done?: () => void) {
  return connect.call(this, done && AsyncResource.bind(done));
} as Connect as pg.Pool['connect'];

/**
 * Returns the statements that all connections of this process send while the work runs, in order. Excluded are connection set-up and
 * background work of job workers, whose timing varies.
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
