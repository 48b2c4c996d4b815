import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../database/data-source.js';
import { DATABASE_CONNECTION } from '../../database/database.module.js';
import type { DatabaseConnection } from '../../database/database-connection.js';
import { toApplyFault } from './apply-faults.js';

/** Any fixed number: one change of the schemas at a time over all instances. */
const SCHEMA_LOCK = 724_150_313;
/** How long a change waits for another one. */
const WAIT_MS = 30_000;
/** Bound of one statement of a change. */
const STATEMENT_TIMEOUT_MS = 300_000;

/** Connections of their own for changes of tables: without the bounds of the request path, one change at a time. */
@Injectable()
export class SchemaConnection {
  constructor(@Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection) {}

  /** Runs the work while no other instance changes schemas. Throws `server_busy` where another change takes too long. */
  async locked<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
    const source = createDataSource({
      address: this.connection.address,
      entities: [],
      poolSize: 2,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    await source.initialize();
    try {
      const keeper = source.createQueryRunner();
      await keeper.query(`SET lock_timeout = ${WAIT_MS}`);
      await keeper.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]).catch((error: unknown) => {
        throw toApplyFault(error);
      });
      return await work(source);
    } finally {
      // Ends all sessions, and with that of the keeper the lock.
      await source.destroy();
    }
  }
}
