import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import { ContentContexts, type SchemaContext, schemaFor } from '../content-context.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { type ImportQuery, parseImportQuery } from '../request/parse-import-query.js';
import { isWritable } from '../resolve/write-access.js';
import { inTransaction } from '../write/in-transaction.js';
import { advanceKeys } from './advance-keys.js';
import { ImportBodies } from './import-bodies.js';
import { ImportFaults } from './import-faults.js';
import type { ImportBytes, ImportRow } from './import-row.types.js';
import { type ImportSource, spooled } from './import-source.js';
import { importKey } from './import-key.js';
import { ImportWriter } from './import-writer.service.js';
import type { CsvReading } from './csv-columns.js';
import { readCsvRows } from './read-csv-rows.js';
import { readJsonRows, readNdjsonRows } from './read-json-rows.js';
import type { ImportScope } from './row-writes.js';

/** Who imports, into which schema, and how. */
export interface ImportRequest {
  readonly principal: Principal;
  /** Where it comes from; nothing where code of the application asks. */
  readonly origin?: RequestOrigin;
  /** A schema, by its name or namespace. */
  readonly schema: string;
  readonly query: RawQuery;
  /** What the file is said to be; empty where nothing is said. */
  readonly mediaType: string;
}

/** What an import has done. */
export interface ImportResult {
  /** Records of the file. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  /** Whether all of it was undone again. */
  readonly dry_run: boolean;
  /** Fields of the file that the service fills in itself, and that were not written. */
  readonly ignored: readonly string[];
}

/** What an import is allowed to do, and how. */
interface OpenedImport {
  readonly context: SchemaContext;
  readonly query: ImportQuery;
  readonly actions: readonly ('create' | 'update')[];
  readonly key: LinkedValueField | null;
}

/** What must be open, by mode. */
const ACTIONS = { create: ['create'], update: ['update'], upsert: ['create', 'update'] } as const;

/** How much of its connections an instance gives to imports, and one at least. */
const SHARE = 5;
/** How many files an instance takes in at once; they wait on the disk. */
const MOST_SPOOLED = 20;
/** What is written at once. */
const CHUNK_ROWS = 500;
const CHUNK_BYTES = 1_000_000;

/** Ends the transaction of a dry run. */
class Undone extends Error {
  constructor(readonly result: ImportResult) {
    super('A dry run leaves nothing.');
  }
}

/** Writes records of a file: all or none, in one transaction, and every fault of the file at once. */
@Injectable()
export class ContentImport {
  private readonly mostAtOnce: number;
  private spooling = 0;
  private underWay = 0;

  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: ImportWriter,
    @Inject(CONFIG) config: Config,
  ) {
    this.mostAtOnce = Math.max(1, Math.floor(config.databasePoolSize / SHARE));
  }

  /**
   * Takes bytes that come once.
   *
   * @throws AppError what a create throws; `import_invalid` with the faults of the file; `body_too_large`; `server_busy` while others
   * are under way.
   */
  async receive(request: ImportRequest, bytes: ImportBytes): Promise<ImportResult> {
    await this.open(request);
    if (this.spooling >= MOST_SPOOLED) throw new AppError('server_busy', { retryAfterSeconds: 10 });
    this.spooling += 1;
    try {
      const source = await spooled(bytes, this.contexts.limits.importBytes);
      try {
        if (this.underWay >= this.mostAtOnce) throw new AppError('server_busy', { retryAfterSeconds: 10 });
        this.underWay += 1;
        return await this.run(request, source).finally(() => (this.underWay -= 1));
      } finally {
        await source.end();
      }
    } finally {
      this.spooling -= 1;
    }
  }

  /**
   * Imports a file.
   *
   * @param mostRecords how many it may have.
   */
  async run(
    request: ImportRequest,
    source: Pick<ImportSource, 'open'>,
    mostRecords = this.contexts.limits.importRecords,
  ): Promise<ImportResult> {
    try {
      return await this.contexts.onNewest(async () => {
        const { context, query, key, actions } = await this.open(request);
        return inTransaction(this.changes, context, { isDelete: false, request: {} }, async (transaction) => {
          await transaction.manager.query('SET LOCAL idle_in_transaction_session_timeout = 0');
          const { isDryRun, keepsGenerated, mode } = query;
          const bodies = new ImportBodies(context, { keepsGenerated, actions, key: key?.name ?? null });
          const faults = new ImportFaults(context.schema.name);
          const counts = { created: 0, updated: 0 };
          const scope = { transaction, context, bodies, faults, key, makes: mode !== 'update', counts };
          const reading = { ...query, actions, key: key?.name ?? null };
          const rows = await this.writeAll(scope, readRows(source.open(), context, reading, faults), mostRecords);
          faults.assertNone(rows);
          if (keepsGenerated) await advanceKeys(transaction, context.schema);
          const result = { rows, ...counts, dry_run: isDryRun, ignored: [...bodies.ignored].sort() };
          if (!isDryRun) return result;
          await transaction.judge.settle();
          throw new Undone(result);
        });
      });
    } catch (error) {
      if (error instanceof Undone) return error.result;
      throw error;
    }
  }

  private async open({ principal, origin, schema, query, mediaType }: ImportRequest): Promise<OpenedImport> {
    if (principal.kind === 'guest') throw new AppError('token_missing');
    const read = parseImportQuery(query, mediaType, this.contexts.limits);
    const actions = ACTIONS[read.mode];
    const context = { ...(await this.contexts.openSchema(principal, schema, actions[0])), origin };
    for (const action of actions) {
      schemaFor(context, schema, action);
      if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
    }
    if (read.keepsGenerated && !context.permissions.root) throw new AppError('permission_denied');
    return { context, query: read, actions, key: importKey(context, read) };
  }

  /** Returns how many records there are. */
  private async writeAll(scope: ImportScope, rows: AsyncIterable<ImportRow>, most: number): Promise<number> {
    let count = 0;
    let chunk: ImportRow[] = [];
    let bytes = 0;
    for await (const row of rows) {
      count += 1;
      if (count > most) {
        scope.faults.addWhole(row.row, 'too_many', `is more than the ${most} records of one import`);
        break;
      }
      chunk.push(row);
      bytes += row.size;
      if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
      await this.writer.write(scope, chunk);
      scope.faults.goOn();
      [chunk, bytes] = [[], 0];
    }
    if (chunk.length > 0) await this.writer.write(scope, chunk);
    return count;
  }
}

function readRows(
  bytes: ImportBytes,
  context: SchemaContext,
  query: Omit<ImportQuery, 'key'> & CsvReading,
  faults: ImportFaults,
): AsyncIterable<ImportRow> {
  if (query.format === 'csv') return readCsvRows(bytes, context, query, faults);
  return query.format === 'json' ? readJsonRows(bytes, faults) : readNdjsonRows(bytes, faults);
}
