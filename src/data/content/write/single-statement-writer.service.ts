import { Injectable } from '@nestjs/common';
import type { TextRow } from '../../../platform/database/database.public.js';
import { auditValues } from '../../../platform/audit/audit.public.js';
import { withGetters, type WrittenRow } from '../answers.js';
import type { SchemaContext } from '../content-context.service.js';
import { ContentStatements } from '../query/content-statements.js';
import { deletionRules } from '../plan/deletion-rules.js';
import { hasKey, keyOf, readsRecord, generatedValues, timeValue, updatedAtOf } from '../resolve/sql-values.js';
import { planChange, planCreate, type ResponsePlan } from '../plan/plan-write.js';
import { renderSingleChange, renderSingleCreate, renderSingleRemove } from '../render/render-single-statement.js';
import type { SqlStatement } from '../render/sql-writer.js';
import { allOf, type Condition, deletedAtColumn, type ContentAction } from '../resolve/conditions.js';
import type { RecordWrite, WriteMode } from '../resolve/writes/record-write.js';
import { toContentFault, unlessRefused } from './content-faults.js';
import { run, type WriteTransaction } from './transaction/in-transaction.js';
import { RecordHooks, recordedEvent } from './hooks/record-hooks.service.js';
import type { WriteRequest } from './write-request.js';
import { acceptedVersions, resolveBody, rowOfKey } from './written-record.js';

/**
 * Simple writes as one statement, outside a transaction unless one is given. Null means that nothing was written: the write is not simple,
 * or a check failed. The caller then uses a transaction, which locates the error.
 */
@Injectable()
export class SingleStatementWriter {
  constructor(
    private readonly statements: ContentStatements,
    private readonly hooks: RecordHooks,
  ) {}

  /** Throws database errors as API errors. */
  async create(
    context: SchemaContext,
    answer: ResponsePlan,
    body: unknown,
    transaction?: WriteTransaction,
  ): Promise<WrittenRow | null> {
    const { schema } = context;
    const isRecorded = this.hooks.isOnlyRecorded(schema, 'create');
    if (!isRecorded && this.hooks.hasSubscribers(schema, 'create')) return null;
    const planned = unlessRefused(() => {
      const write = resolveBody(context, 'create', body);
      const generated = generatedValues(schema, context.now);
      const plan = planCreate(write, generated, answer, context.fields, context.now);
      return plan && { ...plan, event: isRecorded ? eventOf(write, 'create', context) : null };
    });
    return planned && this.written(context, renderSingleCreate(planned), planned, transaction);
  }

  async change(
    context: SchemaContext,
    answer: ResponsePlan,
    { id, body, ifMatch }: Pick<WriteRequest, 'id' | 'body' | 'ifMatch'>,
    mode: Exclude<WriteMode, 'create'>,
    transaction?: WriteTransaction,
  ): Promise<WrittenRow | null> {
    const { schema, fields, now } = context;
    const isRecorded = this.hooks.isOnlyRecorded(schema, 'update');
    if ((!isRecorded && this.hooks.hasSubscribers(schema, 'update')) || readsRecord(schema)) return null;
    const where = foundBy(context, id, 'update');
    const generated = updatedAtOf(schema, now);
    const planned = unlessRefused(() => {
      const write: RecordWrite = resolveBody(context, mode, body);
      const found = where && { id, where, versions: acceptedVersions(ifMatch) };
      const plan = found && planChange(write, generated, answer, fields, found);
      return plan && { ...plan, event: isRecorded ? eventOf(write, 'update', context) : null };
    });
    return planned && this.written(context, renderSingleChange(planned), planned, transaction);
  }

  async remove(
    context: SchemaContext,
    { id, ifMatch }: Pick<WriteRequest, 'id' | 'ifMatch'>,
    transaction?: WriteTransaction,
  ): Promise<boolean> {
    const { schema, snapshot, now } = context;
    const { isSimple, isIndependent, turns } = deletionRules(snapshot, schema, this.hooks);
    const isRecorded = isIndependent && this.hooks.isOnlyRecorded(schema, 'delete');
    const where = isSimple || isRecorded ? foundBy(context, id, 'delete') : null;
    if (where === null) return false;
    const column = deletedAtColumn(schema);
    const values = column === null ? null : new Map([[column, timeValue(now)]]);
    const event = isRecorded ? eventOf({ schema, names: new Set() }, 'delete', context) : null;
    const found = { where, versions: acceptedVersions(ifMatch) };
    const plan = { table: schema.table.name, key: keyOf(schema), ...found, values, event, locks: turns.delete };
    return (await this.run(renderSingleRemove(plan), context, true, transaction)).length === 1;
  }

  private async written(
    context: SchemaContext,
    statement: SqlStatement,
    { record }: ResponsePlan,
    transaction: WriteTransaction | undefined,
  ): Promise<WrittenRow | null> {
    const [row] = await this.run(statement, context, false, transaction);
    if (row === undefined) return null;
    const [key, item, version] = row;
    const unseen = rowOfKey(context.schema, key ?? '');
    if (item == null) return unseen;
    return { ...unseen, item: withGetters(item, record, context), version: version ?? '' };
  }

  private async run(
    statement: SqlStatement,
    context: SchemaContext,
    isDelete: boolean,
    transaction: WriteTransaction | undefined,
  ): Promise<readonly TextRow[]> {
    try {
      if (transaction !== undefined)
        return (await run<Record<string, string | null>>(transaction, statement)).map((row) => Object.values(row));
      return await this.statements.run(statement);
    } catch (error) {
      throw toContentFault(error, context, isDelete);
    }
  }
}

/** Returns the values of the audit event. The statement adds the record key. */
function eventOf(
  { schema, names }: Pick<RecordWrite, 'schema' | 'names'>,
  operation: 'create' | 'update' | 'delete',
  context: SchemaContext,
): readonly (string | null)[] {
  return auditValues(recordedEvent({ schema, operation, id: '', names }, context));
}

function foundBy({ schema, fields }: SchemaContext, id: string, action: ContentAction): Condition | null {
  const byKey = hasKey(schema, id);
  return byKey && allOf([byKey, fields.visible(schema, action)]);
}
