import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ALLOW_IDLING, ALLOW_LONG_STATEMENTS, isDataFault } from '../../../platform/database/database.public.js';
import { withGetters } from '../answers.js';
import { assertMaySeeDeleted } from '../query/compiled-queries.service.js';
import { ContentContexts, type SchemaContext } from '../content-context.service.js';
import { notComputable } from '../query/content-statements.js';
import { planList } from '../plan/plan-list.js';
import type { PlannedRecord } from '../plan/query-plan.types.js';
import { renderRows } from '../render/render-query.js';
import { parseExportQuery, type RawQuery } from '../request/parse-list-query.js';
import type { ExportFormat } from '../request/list-query.types.js';
import { QueryFaults } from '../request/query-faults.js';
import { exportForm, type ExportForm } from './export-format.js';

export interface RecordsExport {
  readonly type: string;
  readonly fileName: string;
  readonly parts: AsyncIterable<string>;
  /** Releases the connection. Must be called even if not everything was read. */
  readonly end: () => Promise<void>;
}

interface CompiledExport {
  readonly context: SchemaContext;
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly record: PlannedRecord;
  readonly form: ExportForm;
  readonly format: ExportFormat;
}

const CURSOR = 'lintel_records';
/** Exports may use one connection in five, and at least one. Each keeps its connection for as long as the client reads. */
const SHARE = 5;
const PART_CHARACTERS = 1_000_000;
/** @internal */
const MAX_ROWS = 2_000;

/** Exports all records that a list would return, as one consistent snapshot. */
@Injectable()
export class ContentExport {
  private readonly logger = new Logger('Content');
  private readonly maxConcurrent: number;
  private running = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly contexts: ContentContexts,
    @Inject(CONFIG) config: Config,
  ) {
    this.maxConcurrent = Math.max(1, Math.floor(config.databasePoolSize / SHARE));
  }

  /**
   * Starts an export of the records that the principal may list. Filter, sort and selection work as in a list.
   *
   * @throws AppError errors of a list; `server_busy` if too many exports are running.
   */
  async start(principal: Principal, name: string, raw: RawQuery): Promise<RecordsExport> {
    return this.contexts.retryOnSchemaChange(async () => {
      const compiled = await this.compile(principal, name, raw);
      if (this.running >= this.maxConcurrent) throw new AppError('server_busy', { retryAfterSeconds: 10 });
      this.running += 1;
      const rows = this.rows(compiled);
      // The first fetch reveals computation errors and stale tables.
      const first = await rows.next();
      return {
        type: compiled.form.type,
        fileName: `${compiled.context.schema.namespace}.${compiled.format}`,
        parts: this.parts(compiled.form, rows, first),
        end: async () => void (await rows.return()),
      };
    });
  }

  private async compile(principal: Principal, name: string, raw: RawQuery): Promise<CompiledExport> {
    const context = await this.contexts.openSchema(principal, name, 'list');
    const { schema, fields, limits } = context;
    const faults = new QueryFaults(limits);
    const query = parseExportQuery(raw, faults);
    assertMaySeeDeleted(context, query);
    const plan = planList(schema, query, fields, null, faults);
    faults.assertNone();
    const { format, escapesFormulas } = query;
    const form = exportForm(format, plan.record, { escapesFormulas });
    return { context, ...renderRows(plan), record: plan.record, form, format };
  }

  private async *parts(
    form: ExportForm,
    rows: AsyncGenerator<readonly string[], void, undefined>,
    first: IteratorResult<readonly string[], void>,
  ): AsyncGenerator<string, void, undefined> {
    try {
      let text = form.head;
      let isFirst = true;
      for (let next = first; next.done !== true; next = await rows.next()) {
        yield text + form.lines(next.value, isFirst);
        [text, isFirst] = ['', false];
      }
      yield text + form.tail;
    } catch (err) {
      // The client notices because the connection closes before the end.
      this.logger.warn({ err, msg: 'An export was aborted.' });
      throw err;
    }
  }

  private async *rows(compiled: CompiledExport): AsyncGenerator<readonly string[], void, undefined> {
    const { context, text, parameters, record } = compiled;
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction('REPEATABLE READ');
      await runner.query('SET TRANSACTION READ ONLY');
      await runner.query(`${ALLOW_IDLING}; ${ALLOW_LONG_STATEMENTS}`);
      await runner.query(`DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${text}`, [...parameters]);
      for (let size = 10; ;) {
        const found = await fetchRows(runner, size);
        if (found.length === 0) return;
        yield found.map((item) => withGetters(item, record, context));
        const characters = found.reduce((sum, item) => sum + item.length, 1);
        size = Math.max(1, Math.min(MAX_ROWS, 2 * size, Math.floor((PART_CHARACTERS * found.length) / characters)));
      }
    } finally {
      this.running -= 1;
      await end(runner);
    }
  }
}

async function fetchRows(runner: QueryRunner, size: number): Promise<readonly string[]> {
  try {
    const rows = (await runner.query(`FETCH FORWARD ${size} FROM ${CURSOR}`)) as { item: string }[];
    return rows.map(({ item }) => item);
  } catch (error) {
    throw isDataFault(error) ? notComputable(error) : error;
  }
}

/** Ends the transaction. A lost connection has ended it already. */
async function end(runner: QueryRunner): Promise<void> {
  if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
  await runner.release();
}
