import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { ALLOW_IDLING } from '../../../platform/database/database.public.js';
import { ContentContexts } from '../content-context.service.js';
import { inTransaction } from '../write/in-transaction.js';
import { advanceKeys } from './advance-keys.js';
import { CsvParser } from './rows/csv-parser.service.js';
import { ImportFaults } from './import-faults.js';
import type { ImportBytes } from './rows/import-row.types.js';
import { type ImportSource, spooled } from './rows/import-source.js';
import { importScope, type ImportRequest, ImportRequests } from './import-requests.service.js';
import { ImportWriter } from './import-writer.service.js';
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

/** Imports may use one connection in five, and at least one. */
const SHARE = 5;
const MOST_SPOOLED = defineLimit(20, 'Imports', 'imports that one process receives at the same time', 'server_busy');

class Undone extends Error {
  constructor(readonly result: ImportResult) {
    super('A dry run leaves nothing.');
  }
}

/** Imports a file, all or none, in one transaction. Reports all errors of the file together. */
@Injectable()
export class ContentImport {
  private readonly mostAtOnce: number;
  private spooling = 0;
  private underWay = 0;

  constructor(
    private readonly contexts: ContentContexts,
    private readonly requests: ImportRequests,
    private readonly changes: ChangeNotifier,
    private readonly writer: ImportWriter,
    private readonly parser: CsvParser,
    @Inject(CONFIG) config: Config,
  ) {
    this.mostAtOnce = Math.max(1, Math.floor(config.databasePoolSize / SHARE));
  }

  /**
   * Imports from a stream that can be read only once.
   *
   * @throws AppError errors of a create; `import_invalid` with the errors of the file; `body_too_large`; `server_busy` if too many imports
   * are running.
   */
  async receive(request: ImportRequest, bytes: ImportBytes): Promise<ImportResult> {
    await this.requests.open(request);
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

  async run(
    request: ImportRequest,
    source: Pick<ImportSource, 'open'>,
    mostRecords = this.contexts.limits.importRecords,
  ): Promise<ImportResult> {
    try {
      return await this.contexts.onNewest(async () => {
        const opened = await this.requests.open(request);
        const { context, query, key, actions } = opened;
        return inTransaction(this.changes, context, { isDelete: false, request: {} }, async (transaction) => {
          await transaction.manager.query(ALLOW_IDLING);
          const faults = new ImportFaults(context.schema.name);
          const scope = importScope(opened, transaction, faults);
          const reading = { ...query, actions, key: key?.name ?? null };
          let rows = 0;
          const read = readRows(source.open(), context, reading, faults, this.parser);
          for await (const chunk of inChunks(read, mostRecords, faults)) {
            await this.writer.write(scope, await this.writer.read(scope, chunk));
            faults.goOn();
            rows += chunk.length;
          }
          faults.assertNone(rows);
          if (query.keepsGenerated) await advanceKeys(transaction, context.schema);
          const ignored = [...scope.bodies.ignored].sort();
          const result = { rows, ...scope.counts, dry_run: query.isDryRun, ignored, blank: faults.takeBlank() };
          if (!query.isDryRun) return result;
          await transaction.judge.settle();
          throw new Undone(result);
        });
      });
    } catch (error) {
      if (error instanceof Undone) return error.result;
      throw error;
    }
  }
}
