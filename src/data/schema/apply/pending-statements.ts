import { Injectable, Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { defineJob } from '../../../platform/jobs/jobs.public.js';
import { ALLOW_IDLING, readDriverFault } from '../../../platform/database/database.public.js';
import { lockSchemas } from './schema-connection.js';
import { SchemaStore } from './schema-store.js';

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
        const left: string[] = [];
        for (const statement of pending) if (!(await this.isDone(source, statement))) left.push(statement);
        if (left.length < pending.length) await this.store.updatePending(source, { version, pending: left });
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
        msg: 'A statement that follows a change of the schemas failed; it will be tried again.',
      });
      return false;
    }
  }
}
