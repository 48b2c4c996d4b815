import { Inject, Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { createDataSource, type DatabaseConnection } from '../../../platform/database/database.public.js';
import { DATABASE_CONNECTION } from '../../../platform/database/database.module.js';
import { toApplyFault } from './apply-faults.js';

/** An arbitrary fixed number. Only one instance may change the schemas at a time. */
const SCHEMA_LOCK = 724_150_313;
const WAIT_MS = 30_000;
const STATEMENT_TIMEOUT_MS = 300_000;

/** Separate connections for schema changes, without the timeouts of requests. */
@Injectable()
export class SchemaConnection {
  constructor(@Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection) {}

  /** Opens two connections for the work and closes them afterwards. @param statementTimeoutMs 0 for no timeout. */
  async use<T>(work: (source: DataSource) => Promise<T>, statementTimeoutMs = STATEMENT_TIMEOUT_MS): Promise<T> {
    const { address } = this.connection;
    const source = createDataSource({ address, entities: [], poolSize: 2, statementTimeoutMs });
    await source.initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }
}

/**
 * Takes a lock of the transaction, not of the session, because a pooler shares sessions. @throws AppError `server_busy` if another change
 * takes too long.
 */
export async function lockSchemas(manager: EntityManager): Promise<void> {
  await manager.query(`SET LOCAL lock_timeout = ${WAIT_MS}`);
  // No parameters: a parameterized statement would keep its snapshot, and a concurrent index build would wait for it.
  await manager.query(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`).catch((error: unknown) => {
    throw toApplyFault(error);
  });
}
