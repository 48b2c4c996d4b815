import { Inject, Injectable, Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import {
  ALLOW_IDLING,
  createDataSource,
  type DatabaseConnection,
  readDriverFault,
} from '../../../platform/database/database.public.js';
import { defineJob } from '../../../platform/jobs/jobs.public.js';
import { SchemaStore } from './schema-store.js';
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

/** Runs pending statements of schema versions, if they did not finish right after the commit. */
export const FINISH_SCHEMA = defineJob('schema.finish');

/** SQLSTATEs for an undefined table, column or object. A later change has dropped it, so the statement is obsolete. */
const GONE = new Set(['42P01', '42703', '42704']);
const CONCURRENT_INDEX = /^CREATE INDEX CONCURRENTLY ("(?:[^"]|"")+")/;

/**
 * Runs the statements that are pending after the commit of a version: large indexes, and validation of new foreign keys. Nothing depends on
 * them in the meantime.
 */
@Injectable()
export class PendingSchemaStatements {
  private readonly logger = new Logger('Schemas');

  constructor(private readonly store: SchemaStore) {}

  /**
   * Runs the pending statements. Failed ones stay pending.
   *
   * @param source has two connections: one holds the lock, the other runs the statements.
   */
  async finish(source: DataSource): Promise<void> {
    if ((await this.store.listPending(source)).length === 0) return;
    await source.transaction(async (manager) => {
      // An idle-in-transaction timeout would release the lock.
      await manager.query(ALLOW_IDLING);
      await lockSchemas(manager);
      for (const { version, pending } of await this.store.listPending(source)) {
        const remaining: string[] = [];
        for (const statement of pending) if (!(await this.isDone(source, statement))) remaining.push(statement);
        if (remaining.length < pending.length) await this.store.updatePending(source, { version, pending: remaining });
      }
    });
  }

  private async isDone(source: DataSource, statement: string): Promise<boolean> {
    try {
      const index = CONCURRENT_INDEX.exec(statement)?.[1];
      // An interrupted build leaves an invalid index.
      if (index !== undefined) await source.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await source.query(statement);
      return true;
    } catch (err) {
      if (GONE.has(readDriverFault(err)?.code ?? '')) return true;
      this.logger.warn({
        err,
        msg: 'A statement after a schema change failed. It will be retried.',
      });
      return false;
    }
  }
}
