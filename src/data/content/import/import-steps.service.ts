import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ALLOW_IDLING } from '../../../platform/database/database.public.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Foreground } from '../../../platform/http/server/foreground.service.js';
import { ContentContexts } from '../content-context.service.js';
import type { ImportMode } from '../request/parse-import-query.js';
import { keyOf } from '../resolve/sql-values.js';
import { renderValues } from '../render/render-write.js';
import { run, type WriteTransaction } from '../write/transaction/in-transaction.js';
import { advanceKeys, ImportWriter, type ReadRows, staged, unstaged } from './import-writer.service.js';
import { CsvParser } from './rows/csv-parser.service.js';
import { ImportFaults, type RowFault, type ImportBytes, type ImportRow, bounded } from './rows/import-source.js';
import { type ImportRequest, inImport, openImport, type OpenedImport } from './open-import.js';
import { type CreatedRecord, importScope } from './row-writes.js';
import { inChunks, readRows } from './rows/read-rows.js';

export interface StagedChunk {
  readonly rows: number;
  readonly blank: number;
  /** Serialized rows, for {@link ImportSteps.write}. */
  readonly text: string;
  readonly faults: readonly RowFault[];
  /** False if an error concerns the file itself, such as its header or its end. */
  readonly isReadable: boolean;
}

export interface StampedRecord extends CreatedRecord {
  readonly version: string;
}

export interface WrittenChunk {
  readonly created: number;
  readonly updated: number;
  readonly createdRecords: readonly StampedRecord[];
  /** True if deleting the created records restores the previous state. */
  readonly canBeUndone: boolean;
  readonly faults: readonly RowFault[];
}

export interface CheckedFile {
  readonly created: number;
  readonly updated: number;
  readonly ignored: readonly string[];
}

export interface StagedBounds {
  readonly records: number;
  readonly bytes: number;
}

/** Maximum number of errors per chunk. A row has fewer fields than that. @internal */
const MAX_FAULTS = 100_000;

/** Steps of a background import: read, check, and write in chunks. The caller stores rows and state. */
@Injectable()
export class ImportSteps {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: ImportWriter,
    private readonly foreground: Foreground,
    private readonly parser: CsvParser,
  ) {}

  get schemaVersion(): number {
    return this.contexts.snapshot.version;
  }

  async inspect(request: ImportRequest): Promise<{ readonly schema: string; readonly mode: ImportMode }> {
    const { context, query } = await openImport(this.contexts, request);
    return { schema: context.schema.name, mode: query.mode };
  }

  /**
   * Reads a file in chunks. Yields to foreground work between chunks, even if the whole file is available.
   *
   * @throws AppError errors of an import; `body_too_large`.
   */
  async *stage(request: ImportRequest, bytes: ImportBytes, bounds: StagedBounds): AsyncGenerator<StagedChunk> {
    const opened = await openImport(this.contexts, request);
    const faults = new ImportFaults(opened.context.schema.name, MAX_FAULTS);
    const rows = readRows(bounded(bytes, bounds.bytes), opened, faults, this.parser);
    const pace = this.foreground.pace();
    for await (const chunk of inChunks(rows, bounds.records, faults)) {
      yield stagedChunk(chunk, faults);
      await pace();
    }
    yield stagedChunk([], faults);
  }

  /**
   * Writes everything and rolls it back, to find all errors, including values that are in the file twice.
   *
   * @param onProgress called after each chunk. An error that it throws ends the check.
   */
  async check(
    request: ImportRequest,
    chunks: () => AsyncIterable<string>,
    onProgress: (rows: number, faults: readonly RowFault[]) => Promise<void>,
  ): Promise<CheckedFile> {
    const write = async (transaction: WriteTransaction, opened: OpenedImport): Promise<CheckedFile> => {
      await transaction.manager.query(ALLOW_IDLING);
      const faults = new ImportFaults(opened.context.schema.name, MAX_FAULTS);
      const scope = importScope(opened, transaction, faults);
      const pace = this.foreground.pace();
      const read = async (text: string): Promise<{ readonly rows: ReadRows; readonly count: number }> => {
        const rows = unstaged(text);
        return { rows: await this.writer.read(scope, rows), count: rows.length };
      };
      for await (const { rows, count } of ahead(chunks(), read, () => !this.foreground.isInUse)) {
        await this.writer.write(scope, rows);
        await onProgress(count, faults.drain());
        await pace();
      }
      return { ...scope.counts, ignored: [...scope.bodies.ignored].sort() };
    };
    return inImport(this.contexts, this.changes, request, write, () => true);
  }

  /**
   * Writes chunks in one transaction, together with other work. Rows with errors are skipped.
   *
   * @param work may run again if the database aborts the transaction. If it throws, everything is rolled back.
   */
  async write<T>(
    request: ImportRequest,
    work: (manager: EntityManager, write: (text: string) => Promise<WrittenChunk>) => Promise<T>,
  ): Promise<T> {
    return inImport(this.contexts, this.changes, request, (transaction, opened) => {
      const pace = this.foreground.pace();
      return work(transaction.manager, async (text) => {
        const written = await this.writeChunk(opened, transaction, text);
        await pace();
        return written;
      });
    });
  }

  private async writeChunk(opened: OpenedImport, transaction: WriteTransaction, text: string): Promise<WrittenChunk> {
    const { schema } = opened.context;
    const faults = new ImportFaults(schema.name, MAX_FAULTS);
    const createdRecords: CreatedRecord[] = [];
    const scope = importScope(opened, transaction, faults, { createdRecords, skipsFaulty: true });
    const rows = unstaged(text).filter(({ isFaulty }) => !isFaulty);
    await this.writer.write(scope, await this.writer.read(scope, rows));
    if (opened.query.keepsGeneratedValues) await advanceKeys(transaction, schema);
    const { created, updated } = scope.counts;
    const canBeUndone = updated === 0 && createdRecords.length === created && !scope.touched.others;
    return {
      created,
      updated,
      createdRecords: await stamped(transaction, opened, createdRecords),
      canBeUndone,
      faults: faults.drain(),
    };
  }
}

/**
 * Maps each entry and prepares the next one while the current one is used. An error is thrown when its entry is read.
 *
 * @param isFree whether the next entry may be prepared. Prefetched entries prolong garbage collection, which blocks all requests.
 */
async function* ahead<From, To>(
  all: AsyncIterable<From>,
  convert: (one: From) => Promise<To>,
  isFree: () => boolean,
): AsyncGenerator<To, void, undefined> {
  const from = all[Symbol.asyncIterator]();
  const next = async (): Promise<{ readonly value: To } | null> => {
    const found = await from.next();
    return found.done === true ? null : { value: await convert(found.value) };
  };
  let pending: ReturnType<typeof next> | null = null;
  try {
    for (;;) {
      const found: Awaited<ReturnType<typeof next>> = await (pending ?? next());
      if (found === null) return;
      pending = isFree() ? next() : null;
      pending?.catch(() => undefined);
      yield found.value;
    }
  } finally {
    await pending?.catch(() => undefined);
    await from.return?.();
  }
}

function stagedChunk(rows: readonly ImportRow[], found: ImportFaults): StagedChunk {
  const blank = found.drainBlank();
  const faults = found.drain();
  const faulty = new Set(faults.map(({ row }) => row));
  const isReadable = rows.filter(({ row }) => faulty.has(row)).length === faulty.size;
  return { rows: rows.length, blank, text: staged(rows, faulty), faults, isReadable };
}

async function stamped(
  transaction: WriteTransaction,
  { context: { schema } }: OpenedImport,
  createdRecords: readonly CreatedRecord[],
): Promise<readonly StampedRecord[]> {
  if (createdRecords.length === 0) return [];
  const ids = createdRecords.map(({ id }) => id);
  const statement = renderValues(schema.table.name, keyOf(schema), ids, 'xmin');
  const found = await run<{ id: string; value: string }>(transaction, statement);
  const versions = new Map(found.map(({ id, value }) => [id, value]));
  return createdRecords.map((record) => ({ ...record, version: versions.get(record.id) ?? '' }));
}
