import { createRequire } from 'node:module';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SchemaTransfer } from '../../data/schema/schema-transfer.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineAuditActions, OPERATOR } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { RestoredDatabase } from '../../platform/backup/restored-database.service.js';
import { ALLOW_IDLING, MigrationSteps, OWN_MIGRATIONS_TABLE } from '../../platform/database/database.public.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../../platform/database/tables.decorator.js';
import { EXPORT_FORMAT, ExportWriter } from './export-stream.js';
import { quoted, readSequences, readTables, type StoredTable } from './moved-tables.js';

const ACTIONS = defineAuditActions('Export and import', {
  'data.export': 'All data of the database was exported.',
  'data.import': 'The data of the database was replaced by an export. The changes contain the number of rows.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

export interface ExportTarget {
  readonly to: Writable;
  readonly compressed?: boolean;
  readonly leavesOpen?: boolean;
}

export interface ExportCounts {
  readonly tables: number;
  readonly rows: number;
}

/** Schema tables are exported first, because the content tables are built from them. */
const SCHEMAS_FIRST = ['schema_parts', 'schema_versions', 'schema_files'];
const CURSOR = 'lintel_export';
/** Approximate size of the rows in memory. */
const BATCH_BYTES = 2 * 1024 * 1024;
/** @internal */
const BATCH_SIZE = 2_000;

/** Exports the whole database as one stream from one snapshot, for another database (ADR 0058). */
@Injectable()
export class DataExport {
  constructor(
    @Inject(APPLICATION_TABLES) private readonly tables: ApplicationTables,
    private readonly dataSource: DataSource,
    private readonly schemas: SchemaTransfer,
    private readonly restored: RestoredDatabase,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Schema changes are blocked during the export. Other writes are not. */
  async write({ to, compressed = false, leavesOpen = false }: ExportTarget): Promise<ExportCounts> {
    const event = { action: 'data.export', actor: OPERATOR, resource: 'database' } as const;
    await this.audit.write(this.dataSource.manager, event);
    const counts = { tables: 0, rows: 0 };
    await this.inSnapshot(async (manager) => {
      const lines = Readable.from(this.lines(manager, counts), { objectMode: false });
      const end = { end: !leavesOpen };
      await (compressed ? pipeline(lines, createGzip(), to, end) : pipeline(lines, to, end));
    });
    return counts;
  }

  /** Runs work in one snapshot. Another transaction takes the lock first, so that the snapshot starts after it is acquired. */
  private async inSnapshot(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.schemas.use((source) =>
      source.transaction(async (snapshotManager) => {
        await this.schemas.lock(snapshotManager);
        await source.transaction('REPEATABLE READ', async (manager) => {
          await manager.query('SET TRANSACTION READ ONLY');
          await manager.query(ALLOW_IDLING);
          await work(manager);
        });
      }),
    );
  }

  private async *lines(manager: EntityManager, counts: { tables: number; rows: number }): AsyncGenerator<string> {
    const writer = new ExportWriter();
    yield writer.entry({ kind: 'header', header: await this.header(manager) });
    const tables = await this.moved(manager);
    const first = SCHEMAS_FIRST.flatMap((name) => tables.find((table) => table.name === name) ?? []);
    for (const table of first) yield* exportedRows(manager, writer, table, counts);
    yield writer.entry({ kind: 'schemas' });
    const remaining = tables.filter((table) => !first.includes(table));
    for (const table of remaining) yield* exportedRows(manager, writer, table, counts);
    const names = new Set(tables.map(({ name }) => name));
    for (const { table, column, sequence, step } of await readSequences(manager)) {
      if (!names.has(table)) continue;
      const [row] = await manager.query<{ next: string }[]>(
        `SELECT (CASE WHEN is_called THEN last_value + ${step} ELSE last_value END)::text AS next FROM ${quoted(sequence)}`,
      );
      yield writer.entry({ kind: 'sequence', table, column, next: row?.next ?? '1' });
    }
    counts.tables = tables.length;
    yield writer.end();
  }

  private async header(manager: EntityManager) {
    const { migrations, own } = this.tables;
    return {
      lintel_export: EXPORT_FORMAT,
      lintel: (createRequire(import.meta.url)('lintel/package.json') as { version: string }).version,
      exported_at: this.clock.now().toISOString(),
      migrations: await new MigrationSteps(migrations).applied(manager),
      own_migrations: await new MigrationSteps(own.migrations, OWN_MIGRATIONS_TABLE).applied(manager),
    };
  }

  /**
   * Returns the tables and columns to export. Excluded are tables that belong to this database, tables that are invalid elsewhere, and
   * dropped ones.
   */
  private async moved(manager: EntityManager): Promise<readonly StoredTable[]> {
    const { transient, fixed } = this.tables.staying;
    const aside = await this.schemas.aside(manager);
    const excluded = new Set([...transient, ...fixed, ...this.restored.tablesOf(['sessions', 'secrets']), ...aside]);
    const tables = await readTables(manager);
    return tables
      .filter(({ name }) => !excluded.has(name))
      .map(({ name, columns, types }) => {
        const included = columns.map((column) => !aside.has(column));
        return { name, columns: columns.filter((_, at) => included[at]), types: types.filter((_, at) => included[at]) };
      });
  }
}

/** Reads a table with a cursor. The fetch size adapts to the size of the rows, to limit memory. */
async function* exportedRows(
  manager: EntityManager,
  writer: ExportWriter,
  { name, columns }: StoredTable,
  counts: { rows: number },
): AsyncGenerator<string> {
  yield writer.entry({ kind: 'table', name, columns });
  const texts = columns.map((column) => `${quoted(column)}::text`).join(', ');
  await manager.query(
    `DECLARE ${CURSOR} NO SCROLL CURSOR FOR SELECT array_to_json(ARRAY[${texts}]::text[])::text AS line FROM ${quoted(name)}`,
  );
  for (let size = 10; ;) {
    const rows = await manager.query<{ line: string }[]>(`FETCH FORWARD ${size} FROM ${CURSOR}`);
    if (rows.length === 0) break;
    const text = writer.lines(rows.map(({ line }) => line));
    counts.rows += rows.length;
    size = Math.max(1, Math.min(BATCH_SIZE, 2 * size, Math.floor((BATCH_BYTES * rows.length) / text.length)));
    yield text;
  }
  await manager.query(`CLOSE ${CURSOR}`);
}
