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
import type { ImportBytes } from './import-row.types.js';
import { type ImportSource, spooled } from './import-source.js';
import { importKey } from './import-key.js';
import { ImportWriter } from './import-writer.service.js';
import { inChunks, readRows } from './read-rows.js';

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
          let rows = 0;
          for await (const chunk of inChunks(readRows(source.open(), context, reading, faults), mostRecords, faults)) {
            await this.writer.write(scope, chunk);
            faults.goOn();
            rows += chunk.length;
          }
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
}
