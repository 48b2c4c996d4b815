import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.types.js';
import { AppError } from '../kernel/app-error.js';
import { recordAnswer } from './answer/list-answer.js';
import { ContentContexts, type SchemaContext, schemaFor } from './content-context.service.js';
import { ContentStatements } from './content-statements.js';
import { ContentWriting } from './content-writing.service.js';
import { planAggregate } from './plan/plan-aggregate.js';
import { renderAggregate } from './render/render-aggregate.js';
import { renderMatching } from './render/render-write.js';
import { parseAggregateQuery, parseBulkFilter } from './request/parse-aggregate-query.js';
import type { RawQuery } from './request/parse-list-query.js';
import { QueryFaults } from './request/query-faults.js';
import { allOf } from './resolve/conditions.js';
import { FilterResolver } from './resolve/resolve-filter.js';
import { keyOf } from './resolve/key-of.js';
import type { Condition } from './resolve/resolved.types.js';
import { run } from './write/in-transaction.js';
import { RecordWriter } from './write/record-writer.js';
import type { WriteTransaction } from './write/write-transaction.types.js';
import { resolveBody } from './write/written-record.js';

/** What is done with many records at once. */
@Injectable()
export class ContentBulk {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly statements: ContentStatements,
    private readonly writing: ContentWriting,
    private readonly writer: RecordWriter,
  ) {}

  /** The body of an aggregate. Throws `query_invalid`, `permission_denied`, `token_missing`, `schema_not_found`. */
  async aggregate(principal: Principal, name: string, raw: RawQuery): Promise<string> {
    return this.contexts.onNewest(async () => {
      const context = await this.contexts.openSchema(principal, name, 'aggregate');
      const faults = new QueryFaults(context.limits);
      const plan = planAggregate(context.schema, parseAggregateQuery(raw, faults), context.fields, faults);
      faults.assertNone();
      const [columns] = await this.statements.read(renderAggregate(plan));
      return recordAnswer(columns?.[0] ?? '[]');
    });
  }

  /** Changes all records that a filter finds, all or none, and answers how many. */
  async update(principal: Principal, name: string, body: unknown, raw: RawQuery): Promise<number> {
    return this.writing.open(principal, name, 'update', (context) => {
      const where = chosen(context, raw, 'update');
      return this.writing.transaction(context, 'update', async (transaction) => {
        const ids = await matching(transaction, context, where);
        for (const id of ids) {
          const locked = await this.writer.lock(transaction, context.schema, id, 'update');
          if (locked !== null)
            await this.writer.update(transaction, resolveBody(context, 'update', body, locked), locked);
        }
        return ids.length;
      });
    });
  }

  /** Deletes all records that a filter finds, all or none, and answers how many. */
  async remove(principal: Principal, name: string, raw: RawQuery): Promise<number> {
    return this.writing.open(principal, name, 'delete', (context) => {
      const where = chosen(context, raw, 'delete');
      return this.writing.transaction(context, 'delete', async (transaction) => {
        const ids = await matching(transaction, context, where);
        for (const id of ids) {
          const locked = await this.writer.lock(transaction, context.schema, id, 'delete');
          if (locked !== null) await this.writer.remove(transaction, context.schema, locked);
        }
        return ids.length;
      });
    });
  }
}

/** What a filter finds among the records that may be listed, and with which the action may be done. */
function chosen(context: SchemaContext, raw: RawQuery, action: 'update' | 'delete'): Condition {
  const { fields, schema } = context;
  schemaFor(context, schema.name, 'list');
  const faults = new QueryFaults(context.limits);
  const found = new FilterResolver(fields, faults).resolve(parseBulkFilter(raw, faults), schema, 'list');
  faults.assertNone();
  return allOf([fields.visible(schema, 'list'), fields.visible(schema, action), found]);
}

/** The keys of the records of a condition. */
async function matching(
  transaction: WriteTransaction,
  { schema, limits }: SchemaContext,
  where: Condition,
): Promise<readonly string[]> {
  const most = limits.bulkRecords;
  const rows = await run<{ id: string }>(
    transaction,
    renderMatching(schema.table.name, keyOf(schema), where, most + 1),
  );
  if (rows.length <= most) return rows.map(({ id }) => id);
  const errors = [{ field: 'filter', code: 'too_many', message: `finds more than ${most} records` }];
  throw new AppError('query_invalid', { details: { errors } });
}
