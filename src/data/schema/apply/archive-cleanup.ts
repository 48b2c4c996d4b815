import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { JobFault } from '../../../platform/jobs/jobs.public.js';
import { Scheduled, RunsJob } from '../../../platform/jobs/job.decorators.js';
import { Clock } from '../../../kernel/clock.port.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import { isPassing } from './apply-faults.js';
import { FINISH_SCHEMA, lockSchemas, PendingSchemaStatements, SchemaConnection } from './schema-connection.js';
import { SchemaStore } from './schema-store.js';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LOCK_TIMEOUT_MS = 300;

export interface ArchivedObject {
  readonly name: string;
  readonly kind: 'table' | 'column';
}

/** Purges archived tables and columns after the retention time, and runs pending statements. */
@Injectable()
export class ArchiveCleanup {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly connection: SchemaConnection,
    private readonly pending: PendingSchemaStatements,
    private readonly store: SchemaStore,
    private readonly clock: Clock,
  ) {}

  /** Runs the pending statements, such as large indexes. @throws JobFault if some fail, so that the job is retried. */
  @RunsJob(FINISH_SCHEMA)
  async finish(): Promise<void> {
    await this.connection.use((source) => this.pending.finish(source));
    if ((await this.store.listPending(this.dataSource)).length > 0) throw new JobFault('some statements failed');
  }

  /** Purges expired objects and returns their number. Tables in use are skipped until the next run. */
  @Scheduled({ name: 'schema.cleanup', everyMs: INTERVAL_MS })
  async sweep(): Promise<number> {
    const before = new Date(this.clock.nowMs() - this.config.schemaKeepDroppedDays * DAY_MS);
    const due = await this.dataSource.query<ArchivedObject[]>(
      'SELECT name, kind FROM schema_leftovers WHERE dropped_at <= $1 ORDER BY dropped_at, name',
      [before],
    );
    if (due.length === 0 && (await this.store.listPending(this.dataSource)).length === 0) return 0;
    return this.connection.use(async (source) => {
      await this.pending.finish(source);
      let purged = 0;
      for (const archived of due) if (await this.isPurged(source, archived)) purged += 1;
      return purged;
    });
  }

  private async isPurged(source: DataSource, archived: ArchivedObject): Promise<boolean> {
    try {
      await source.transaction((manager) => purge(manager, archived));
      return true;
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  }
}

export async function purge(manager: EntityManager, { name, kind }: ArchivedObject): Promise<void> {
  await lockSchemas(manager);
  await manager.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const table = `DROP TABLE IF EXISTS ${quoteIdentifier(name)}`;
  for (const statement of kind === 'table' ? [table] : await dropColumn(manager, name)) await manager.query(statement);
  await manager.query('DELETE FROM schema_leftovers WHERE name = $1', [name]);
}

/** The table of an archived column may have been renamed, but the column name is unique. */
async function dropColumn(manager: EntityManager, column: string): Promise<readonly string[]> {
  const tables = await manager.query<{ relname: string }[]>(
    `SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = $1 AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND NOT a.attisdropped`,
    [column],
  );
  return tables.map(({ relname }) => `ALTER TABLE ${quoteIdentifier(relname)} DROP COLUMN ${quoteIdentifier(column)}`);
}
