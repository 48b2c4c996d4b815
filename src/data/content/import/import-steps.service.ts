import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ALLOW_IDLING } from '../../../platform/database/database.public.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Foreground } from '../../../platform/http/server/foreground.service.js';
import { ContentContexts } from '../content-context.service.js';
import type { ImportMode } from '../request/parse-import-query.js';
import { keyOf } from '../resolve/key-of.js';
import { renderVersions } from '../render/render-write.js';
import { inTransaction, run } from '../write/in-transaction.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';
import { advanceKeys } from './advance-keys.js';
import { CsvParser } from './rows/csv-parser.service.js';
import { ImportFaults, type RowFault } from './import-faults.js';
import type { ImportBytes, ImportRow } from './rows/import-row.types.js';
import { bounded } from './rows/import-source.js';
import { importScope, type ImportRequest, ImportRequests, type OpenedImport } from './import-requests.service.js';
import { ImportWriter, type ReadRows } from './import-writer.service.js';
import { inChunks, readRows } from './rows/read-rows.js';
import type { MadeRecord } from './row-writes.js';
import { staged, unstaged } from './staged-rows.js';

export interface StagedChunk {
  readonly rows: number;
  readonly blank: number;
  /** Serialized rows, for {@link ImportSteps.write}. */
  readonly text: string;
  readonly faults: readonly RowFault[];
  /** False if an error concerns the file itself, such as its header or its end. */
  readonly isReadable: boolean;
}

export interface StampedRecord extends MadeRecord {
  readonly version: string;
}

export interface WrittenChunk {
  readonly created: number;
  readonly updated: number;
  readonly made: readonly StampedRecord[];
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
const MOST_FAULTS = 100_000;

class Checked extends Error {
  constructor(readonly found: CheckedFile) {
    super('A check leaves nothing.');
  }
}

/** Steps of a background import: read, check, and write in chunks. The caller stores rows and state. */
@Injectable()
export class ImportSteps {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly requests: ImportRequests,
    private readonly changes: ChangeNotifier,
    private readonly writer: ImportWriter,
    private readonly foreground: Foreground,
    private readonly parser: CsvParser,
  ) {}

  get schemaVersion(): number {
    return this.contexts.snapshot.version;
  }

  async look(request: ImportRequest): Promise<{ readonly schema: string; readonly mode: ImportMode }> {
    const { context, query } = await this.requests.open(request);
    return { schema: context.schema.name, mode: query.mode };
  }

  /**
   * Reads a file in chunks. Yields to foreground work between chunks, even if the whole file is available.
   *
   * @throws AppError errors of an import; `body_too_large`.
   */
  async *stage(request: ImportRequest, bytes: ImportBytes, bounds: StagedBounds): AsyncGenerator<StagedChunk> {
    const { context, query, actions, key } = await this.requests.open(request);
    const faults = new ImportFaults(context.schema.name, MOST_FAULTS);
    const reading = { ...query, actions, key: key?.name ?? null };
    const rows = readRows(bounded(bytes, bounds.bytes), context, reading, faults, this.parser);
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
   * @param heard called after each chunk. An error that it throws ends the check.
   */
  async check(
    request: ImportRequest,
    chunks: () => AsyncIterable<string>,
    heard: (rows: number, faults: readonly RowFault[]) => Promise<void>,
  ): Promise<CheckedFile> {
    try {
      return await this.inTransaction(request, async (transaction, opened) => {
        await transaction.manager.query(ALLOW_IDLING);
        const faults = new ImportFaults(opened.context.schema.name, MOST_FAULTS);
        const scope = importScope(opened, transaction, faults);
        const pace = this.foreground.pace();
        const read = async (text: string): Promise<{ readonly rows: ReadRows; readonly count: number }> => {
          const rows = unstaged(text);
          return { rows: await this.writer.read(scope, rows), count: rows.length };
        };
        for await (const { rows, count } of ahead(chunks(), read, () => !this.foreground.isInUse)) {
          await this.writer.write(scope, rows);
          await heard(count, faults.take());
          await pace();
        }
        await transaction.judge.settle();
        throw new Checked({ ...scope.counts, ignored: [...scope.bodies.ignored].sort() });
      });
    } catch (error) {
      if (error instanceof Checked) return error.found;
      throw error;
    }
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
    return this.inTransaction(request, (transaction, opened) => {
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
    const faults = new ImportFaults(schema.name, MOST_FAULTS);
    const made: MadeRecord[] = [];
    const scope = importScope(opened, transaction, faults, { made, skipsFaulty: true });
    const rows = unstaged(text).filter(({ isFaulty }) => !isFaulty);
    await this.writer.write(scope, await this.writer.read(scope, rows));
    if (opened.query.keepsGenerated) await advanceKeys(transaction, schema);
    const { created, updated } = scope.counts;
    const canBeUndone = updated === 0 && made.length === created && !scope.touched.others;
    return { created, updated, made: await stamped(transaction, opened, made), canBeUndone, faults: faults.take() };
  }

  private inTransaction<T>(
    request: ImportRequest,
    work: (transaction: WriteTransaction, opened: OpenedImport) => Promise<T>,
  ): Promise<T> {
    return this.contexts.onNewest(async () => {
      const opened = await this.requests.open(request);
      const scope = { isDelete: false, request: {} };
      return inTransaction(this.changes, opened.context, scope, (transaction) => work(transaction, opened));
    });
  }
}

/**
 * Maps each entry and prepares the next one while the current one is used. An error is thrown when its entry is read.
 *
 * @param isFree whether the next entry may be prepared. Prefetched entries prolong garbage collection, which blocks all requests.
 */
async function* ahead<From, To>(
  all: AsyncIterable<From>,
  make: (one: From) => Promise<To>,
  isFree: () => boolean,
): AsyncGenerator<To, void, undefined> {
  const from = all[Symbol.asyncIterator]();
  const next = async (): Promise<{ readonly made: To } | null> => {
    const found = await from.next();
    return found.done === true ? null : { made: await make(found.value) };
  };
  let begun: ReturnType<typeof next> | null = null;
  try {
    for (;;) {
      const found: Awaited<ReturnType<typeof next>> = await (begun ?? next());
      if (found === null) return;
      begun = isFree() ? next() : null;
      begun?.catch(() => undefined);
      yield found.made;
    }
  } finally {
    await begun?.catch(() => undefined);
    await from.return?.();
  }
}

function stagedChunk(rows: readonly ImportRow[], found: ImportFaults): StagedChunk {
  const blank = found.takeBlank();
  const faults = found.take();
  const faulty = new Set(faults.map(({ row }) => row));
  const isReadable = rows.filter(({ row }) => faulty.has(row)).length === faulty.size;
  return { rows: rows.length, blank, text: staged(rows, faulty), faults, isReadable };
}

async function stamped(
  transaction: WriteTransaction,
  { context: { schema } }: OpenedImport,
  made: readonly MadeRecord[],
): Promise<readonly StampedRecord[]> {
  if (made.length === 0) return [];
  const ids = made.map(({ id }) => id);
  const found = await run<{ id: string; version: string }>(
    transaction,
    renderVersions(schema.table.name, keyOf(schema), ids),
  );
  const versions = new Map(found.map(({ id, version }) => [id, version]));
  return made.map((record) => ({ ...record, version: versions.get(record.id) ?? '' }));
}
