import { Inject, Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { SCHEMA_TOPIC } from '../../data/schema/schema-snapshots.service.js';
import { SchemaTransfer } from '../../data/schema/schema-transfer.service.js';
import { OPERATOR } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { RestoredDatabase } from '../../platform/backup/restored-database.service.js';
import { MigrationSteps, OWN_MIGRATIONS_TABLE, readDriverFault } from '../../platform/database/database.public.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../../platform/database/tables.decorator.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { KeyRotation } from '../../platform/keys/key-rotation.service.js';
import { type ExportEntry, type ExportHeader, readExport } from './export-stream.js';
import { quoted, readForeignKeys, readTables, type StoredForeignKey } from './moved-tables.js';
import { ImportedRows } from './imported-rows.js';
import { TransferError } from './transfer.errors.js';

export interface ImportRequest {
  /** Opens the export. If it can be opened repeatedly, it is checked completely before anything is written. */
  readonly open: () => AsyncIterable<Buffer>;
  readonly isRepeatable: boolean;
  /** Whether existing data is deleted. */
  readonly replace?: boolean;
  /** Whether API keys are skipped. */
  readonly withoutKeys?: boolean;
  /** Whether secrets are accepted that the current keys cannot decrypt. */
  readonly otherKey?: boolean;
}

export interface ImportCounts {
  /** Version of Lintel that created the export, and its time. */
  readonly from: Pick<ExportHeader, 'lintel' | 'exported_at'>;
  readonly tables: number;
  readonly rows: number;
  /** Skipped rows of API keys. */
  readonly left: number;
}

const FILLED_BY_START = new Set(['roles', 'permissions', 'schema_versions', 'schema_parts', 'schema_files']);
/** PostgreSQL error code `lock_not_available`. */
const BUSY = '55P03';
const ANOTHER_EXPORT = 'the export belongs to another application or was modified';

/**
 * Replaces the contents of the database with an export, in one transaction (ADR 0058). The tables are migrated back to the migrations of
 * the export, filled, and then migrated forward.
 */
@Injectable()
export class DataImport {
  private readonly service: MigrationSteps;
  private readonly own: MigrationSteps;

  constructor(
    @Inject(APPLICATION_TABLES) private readonly tables: ApplicationTables,
    private readonly schemas: SchemaTransfer,
    private readonly restored: RestoredDatabase,
    private readonly keys: KeyRotation,
    private readonly audit: AuditTrail,
  ) {
    this.service = new MigrationSteps(tables.migrations);
    this.own = new MigrationSteps(tables.own.migrations, OWN_MIGRATIONS_TABLE);
  }

  /** @throws TransferError with a message for the operator. The database is unchanged then. */
  async read(request: ImportRequest): Promise<ImportCounts> {
    if (request.isRepeatable)
      for await (const entry of readExport(request.open())) if (entry.kind === 'header') this.assertKnown(entry.header);
    try {
      return await this.schemas.use((source) => this.inTransaction(source, request));
    } catch (error) {
      throw toAppError(error);
    }
  }

  private async inTransaction(source: DataSource, request: ImportRequest): Promise<ImportCounts> {
    const entries = readExport(request.open());
    try {
      const header = await this.headerOf(entries);
      return await source.transaction(async (manager) => {
        await this.service.lock(manager);
        await this.schemas.lock(manager);
        if (request.replace !== true) await this.assertEmpty(manager);
        await this.clear(manager, header);
        const filled = await this.fill(manager, entries, request);
        await this.service.forward(manager);
        await this.own.forward(manager);
        await this.announce(source, manager, filled);
        const { lintel, exported_at } = header;
        return { from: { lintel, exported_at }, ...filled };
      });
    } finally {
      // Stops reading, so that a process that writes into a pipe does not block.
      await entries.return(undefined);
    }
  }

  private async headerOf(entries: AsyncGenerator<ExportEntry>): Promise<ExportHeader> {
    const { value } = (await entries.next()) as IteratorResult<ExportEntry, undefined>;
    if (value?.kind !== 'header') throw new TransferError('This is not an export: the file is empty.');
    this.assertKnown(value.header);
    return value.header;
  }

  private assertKnown({ lintel, migrations, own_migrations: own }: ExportHeader): void {
    const [newer] = this.service.unknown(migrations);
    if (newer !== undefined)
      throw new TransferError(
        `The export was created by the newer Lintel ${lintel}, and this version does not have ${newer}. Import it with that version or a later one.`,
      );
    const [missing] = this.own.unknown(own);
    if (missing !== undefined)
      throw new TransferError(
        `The export belongs to an application with the migration ${missing}, which this application does not have. Import it with the command line of that application.`,
      );
  }

  private async assertEmpty(manager: EntityManager): Promise<void> {
    const excluded = this.excludedTables();
    for (const { name } of await readTables(manager)) {
      if (excluded.has(name) || FILLED_BY_START.has(name)) continue;
      const [row] = await manager.query<unknown[]>(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
      if (row === undefined) continue;
      throw new TransferError(
        `The database is not empty: ${name} has rows. Import into another database, or replace the existing data with --replace.`,
      );
    }
  }

  /** Empties the database, and migrates its tables back to the migrations of the export. */
  private async clear(manager: EntityManager, { migrations, own_migrations: own }: ExportHeader): Promise<void> {
    await this.schemas.clear(manager);
    const fixed = new Set(this.tables.staying.fixed);
    const emptied = (await readTables(manager)).filter(({ name }) => !fixed.has(name));
    await manager.query(`TRUNCATE ${emptied.map(({ name }) => quoted(name)).join(', ')}`);
    await this.own.rewind(manager, own);
    await this.service.rewind(manager, migrations);
  }

  private async fill(
    manager: EntityManager,
    entries: AsyncGenerator<ExportEntry>,
    { withoutKeys = false, otherKey = false }: ImportRequest,
  ): Promise<Omit<ImportCounts, 'from'>> {
    const keys = await readForeignKeys(manager);
    for (const { table, name } of keys)
      await manager.query(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
    const away = new Set(withoutKeys ? this.restored.tablesOf(['keys']) : []);
    const rows = new ImportedRows(manager, { left: this.excludedTables(), away });
    await rows.learn();
    let steps: Awaited<ReturnType<SchemaTransfer['build']>> | undefined;
    for await (const entry of entries) {
      await rows.addEntry(entry);
      if (entry.kind !== 'schemas') continue;
      if (steps !== undefined) throw new TransferError(`The export contains the schemas twice: ${ANOTHER_EXPORT}.`);
      steps = await this.schemas.build(manager).catch(schemasFailed);
      await rows.learn();
    }
    await rows.flush();
    if (steps === undefined) throw new TransferError(`The schemas are missing: ${ANOTHER_EXPORT}.`);
    await addForeignKeys(manager, keys);
    await this.schemas.finish(manager, steps);
    if (!otherKey) await this.assertOpened(manager, rows.names);
    return rows.counts;
  }

  private async assertOpened(manager: EntityManager, names: ReadonlySet<string>): Promise<void> {
    const [missing] = await this.keys.missingKeys(manager, names);
    if (missing === undefined) return;
    throw new TransferError(
      'Secrets in the export are encrypted with another APP_KEY. Set that key as APP_KEY or in APP_KEY_PREVIOUS (without APP_KEY, it is in $DATA_DIR/app.key of the source), or use --other-key.',
    );
  }

  private async announce(
    source: DataSource,
    manager: EntityManager,
    { tables, rows }: Omit<ImportCounts, 'from'>,
  ): Promise<void> {
    const event = { action: 'data.import', actor: OPERATOR, resource: 'database', facts: { tables, rows } } as const;
    await this.audit.write(manager, event);
    await new ChangeNotifier(source).transaction(async (_, notify) => notify(SCHEMA_TOPIC, ''), manager);
  }

  private excludedTables(): ReadonlySet<string> {
    const { transient, fixed } = this.tables.staying;
    return new Set([...transient, ...fixed, ...this.restored.tablesOf(['sessions', 'secrets'])]);
  }
}

async function addForeignKeys(manager: EntityManager, keys: readonly StoredForeignKey[]): Promise<void> {
  for (const { table, name, definition } of keys)
    await manager.query(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
}

function schemasFailed(cause: unknown): never {
  if (readDriverFault(cause)?.code !== undefined) throw cause;
  throw new TransferError('The schemas of the export cannot be read: they have another version or were modified.', {
    cause,
  });
}

/** Returns a readable error for invalid data and for a database that is in use. */
function toAppError(error: unknown): unknown {
  const code = readDriverFault(error)?.code ?? (error as { code?: unknown } | null)?.code;
  if (code === BUSY || code === 'server_busy')
    return new TransferError('The database is in use. Stop the service before you import.', { cause: error });
  if (typeof code === 'string' && /^2[23]...$/.test(code))
    return new TransferError(`The data of the export is inconsistent (${code}): ${ANOTHER_EXPORT}.`, {
      cause: error,
    });
  return error;
}
