import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { ALLOW_IDLING } from '../../../platform/database/database.public.js';
import { ContentContexts } from '../content-context.service.js';
import type { WriteTransaction } from '../write/transaction/in-transaction.js';
import { advanceKeys, ImportWriter } from './import-writer.service.js';
import { CsvParser } from './rows/csv-parser.service.js';
import { ImportFaults, type ImportBytes, type ImportSource, spooled } from './rows/import-source.js';
import { type ImportRequest, inImport, openImport, type OpenedImport } from './open-import.js';
import { importScope } from './row-writes.js';
import { inChunks, readRows } from './rows/read-rows.js';
import { defineLimit } from '../../../kernel/limits.js';

export interface ImportResult {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly dry_run: boolean;
  /** Fields of the file that were not written because the server generates them. */
  readonly ignored: readonly string[];
  /** CSV rows that were skipped because every cell is empty. */
  readonly blank: number;
}

/** One import may run per five connections of the pool, and at least one. */
const CONNECTIONS_PER_IMPORT = 5;
const MAX_SPOOLED = defineLimit(20, 'Imports', 'imports that one process receives at the same time', 'server_busy');

/** Imports a file, all or none, in one transaction. Reports all errors of the file together. */
@Injectable()
export class ContentImport {
  private readonly maxConcurrent: number;
  private spooling = 0;
  private running = 0;

  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: ImportWriter,
    private readonly parser: CsvParser,
    @Inject(CONFIG) config: Config,
  ) {
    this.maxConcurrent = Math.max(1, Math.floor(config.databasePoolSize / CONNECTIONS_PER_IMPORT));
  }

  /**
   * Imports from a stream that can be read only once.
   *
   * @throws AppError errors of a create; `import_invalid` with the errors of the file; `body_too_large`; `server_busy` if too many imports
   * are being received or are running.
   */
  async receive(request: ImportRequest, bytes: ImportBytes): Promise<ImportResult> {
    await openImport(this.contexts, request);
    if (this.spooling >= MAX_SPOOLED) throw new AppError('server_busy', { retryAfterSeconds: 10 });
    this.spooling += 1;
    try {
      const source = await spooled(bytes, this.contexts.limits.importBytes);
      try {
        if (this.running >= this.maxConcurrent) throw new AppError('server_busy', { retryAfterSeconds: 10 });
        this.running += 1;
        return await this.run(request, source).finally(() => (this.running -= 1));
      } finally {
        await source.end();
      }
    } finally {
      this.spooling -= 1;
    }
  }

  async run(
    request: ImportRequest,
    source: Pick<ImportSource, 'open'>,
    maxRecords = this.contexts.limits.importRecords,
  ): Promise<ImportResult> {
    const write = async (transaction: WriteTransaction, opened: OpenedImport): Promise<ImportResult> => {
      const { context, query } = opened;
      await transaction.manager.query(ALLOW_IDLING);
      const faults = new ImportFaults(context.schema.name);
      const scope = importScope(opened, transaction, faults);
      let rows = 0;
      const read = readRows(source.open(), opened, faults, this.parser);
      for await (const chunk of inChunks(read, maxRecords, faults)) {
        await this.writer.write(scope, await this.writer.read(scope, chunk));
        faults.clearRecent();
        rows += chunk.length;
      }
      faults.assertNone(rows);
      if (query.keepsGeneratedValues) await advanceKeys(transaction, context.schema);
      const ignored = [...scope.bodies.ignored].sort();
      return { rows, ...scope.counts, dry_run: query.isDryRun, ignored, blank: faults.drainBlank() };
    };
    return inImport(this.contexts, this.changes, request, write, ({ query }) => query.isDryRun);
  }
}
