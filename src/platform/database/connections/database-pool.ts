import { AsyncResource } from 'node:async_hooks';
import pg, { type QueryConfig, type Submittable } from 'pg';
import type { DataSource } from 'typeorm';
import { DatabaseClient, type DatabaseClientConfig } from './database-client.js';
import { activeTracer } from '../../tracing/tracing.public.js';
import { connectionFault } from '../database-faults.js';

type Acquired = Parameters<Parameters<pg.Pool['connect']>[0]>;
type Done = (...acquired: Acquired) => void;
type Settle = (error: Error | null | undefined, result?: unknown) => void;
type Run = (statement: QueryConfig | Submittable, values: undefined, done: Settle) => void;

/** A pool of {@link DatabaseClient}s. A failed connection attempt has the same error type as a lost connection. */
export class DatabasePool extends pg.Pool {
  private reserve: DatabasePool | undefined;

  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: DatabaseClient as NonNullable<pg.PoolConfig['Client']> });
    const end = this.end.bind(this);
    this.end = ((done?: () => void) => {
      void this.reserve?.end();
      return done === undefined ? end() : end(done);
    }) as pg.Pool['end'];
    this.connect = ((done?: Done) => (done === undefined ? this.promised() : this.acquire(done))) as pg.Pool['connect'];
  }

  /** Creates a connection outside the pool, to the same server. The caller connects and ends it. */
  createClient(config: DatabaseClientConfig): DatabaseClient {
    return new DatabaseClient({ ...this.ownOptions(), ...config });
  }

  /** One connection outside the pool. Transactions wait for cache reads, and can occupy all connections of the pool. */
  get cacheReader(): DatabasePool {
    this.reserve ??= new DatabasePool({ ...this.ownOptions(), max: 1 }).on('error', () => undefined) as DatabasePool;
    return this.reserve;
  }

  private ownOptions(): pg.PoolConfig {
    // The pool stores the password as a non-enumerable property, which a copy of its options misses.
    const { password } = this.options;
    return { ...this.options, ...(password === undefined ? {} : { password }) };
  }

  /** Runs one statement on a pooled connection. An error does not remove the connection from the pool unless the connection is lost. */
  run<Result>(statement: QueryConfig | Submittable): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onConnect: Done = (failed, client, release) => {
        if (client === undefined) return reject(failed as Error);
        const settle: Settle = (error, result) => {
          release();
          if (error) reject(error);
          else resolve(result as Result);
        };
        try {
          (client.query as Run)(statement, undefined, settle);
        } catch (error) {
          release(error);
          reject(error as Error);
        }
      };
      // A queued statement is started by the end of another one. Binding keeps its span in the trace of its caller.
      this.acquire(activeTracer() === null ? onConnect : AsyncResource.bind(onConnect));
    });
  }

  private acquire(done: Done): void {
    pg.Pool.prototype.connect.call(this, (failed, client, release) => {
      done(failed === undefined ? failed : connectionFault(failed), client, release);
    });
  }

  private promised(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.acquire((failed, client) => (client === undefined ? reject(failed as Error) : resolve(client)));
    });
  }
}

/** @throws an error that means that the database is not available, if the DataSource is not connected. */
export function poolOf(dataSource: DataSource): DatabasePool {
  const { master } = dataSource.driver as unknown as { readonly master: DatabasePool | undefined };
  if (master === undefined) throw connectionFault(new Error('The DataSource is not connected.'));
  return master;
}

export function cacheReader(dataSource: DataSource): { query<T>(text: string, parameters?: unknown[]): Promise<T> } {
  return {
    async query<T>(text: string, parameters: unknown[] = []): Promise<T> {
      const { rows } = await poolOf(dataSource).cacheReader.run<pg.QueryResult>({ text, values: parameters });
      return rows as T;
    },
  };
}
