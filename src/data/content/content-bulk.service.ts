import { Injectable } from '@nestjs/common';
import { resultWritten, type WriteResponse } from './answers.js';
import { ContentContexts, filteredBy, type SchemaContext } from './content-context.service.js';
import { ContentWriting } from './content-writing.service.js';
import { locksOthers } from './plan/plan-locks.js';
import type { RecordLocks } from './render/render-write.js';
import { parseBulkFilter, type RawQuery } from './request/parse-list-query.js';
import { QueryFaults, queryInvalid } from './request/query-faults.js';
import { allOf, type Condition } from './resolve/conditions.js';
import { hasKeyAmong, readsRecord } from './resolve/sql-values.js';
import { writeRule } from './resolve/content-access.js';
import type { LockedRecord, WriteTransaction } from './write/transaction/in-transaction.js';
import { RecordHooks } from './write/hooks/record-hooks.service.js';
import { lockWrites, RecordLocking } from './write/record-locking.service.js';
import { RecordRemover } from './write/deletion/record-remover.service.js';
import { SetWriter } from './write/sets/set-writer.service.js';
import type { WriteRequest } from './write/write-request.js';
import { readBody, resolveBody } from './write/written-record.js';

@Injectable()
export class ContentBulk {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly writing: ContentWriting,
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
    private readonly remover: RecordRemover,
    private readonly hooks: RecordHooks,
  ) {}

  /** Changes all records that match a filter and may be changed, all or none. Returns their number. */
  async update(request: WriteRequest): Promise<WriteResponse> {
    const { body, query } = request;
    return this.writing.open(request, 'update', (context) => {
      const { schema, access } = context;
      const found = chosen(context, query, 'update');
      const alike = readsRecord(schema) ? null : resolveBody(context, 'update', body);
      const where = allOf([found, writeRule(schema, 'update', Object.keys(Object(body) as object), access)]);
      return this.writing.transaction(context, 'update', request, async (transaction) => {
        const records = locksOthers('update', schema, body)
          ? await this.lockLinked(transaction, context, where, body)
          : await this.lock(transaction, context, where, 'NO KEY UPDATE');
        const isPlain = alike !== null && alike.references.length + alike.links.length === 0;
        if (isPlain && !this.hooks.hasSubscribers(schema, 'update'))
          await this.writer.update(transaction, alike, records);
        else
          for (const locked of records)
            await this.writer.update(transaction, resolveBody(context, 'update', body, locked), [locked]);
        return counted(records.length);
      });
    });
  }

  async remove(request: WriteRequest): Promise<WriteResponse> {
    const { query } = request;
    return this.writing.open(request, 'delete', (context) => {
      const where = chosen(context, query, 'delete');
      return this.writing.transaction(context, 'delete', request, async (transaction) => {
        const ids = (await this.lock(transaction, context, where, 'UPDATE')).map(({ id }) => id);
        await this.remover.remove(transaction, context.schema, ids);
        return counted(ids.length);
      });
    });
  }

  private async lockLinked(
    transaction: WriteTransaction,
    context: SchemaContext,
    where: Condition,
    body: unknown,
  ): Promise<readonly LockedRecord[]> {
    const { schema } = context;
    const found = await this.lock(transaction, context, where, null);
    const { write } = readBody(context, 'update', body);
    const ids = found.map(({ id }) => id);
    await lockWrites(transaction, [{ write, ids }]);
    const locked = allOf([where, hasKeyAmong(schema, ids)]);
    return this.locking.lockAll(transaction, schema, locked, ids.length, 'NO KEY UPDATE', []);
  }

  /**
   * @param strength null to read without a lock.
   * @throws AppError `query_invalid` if there are too many.
   */
  private async lock(
    transaction: WriteTransaction,
    { schema, limits }: SchemaContext,
    where: Condition,
    strength: RecordLocks['strength'],
  ): Promise<readonly LockedRecord[]> {
    const found = await this.locking.lockAll(transaction, schema, where, limits.bulkRecords + 1, strength);
    if (found.length <= limits.bulkRecords) return found;
    throw queryInvalid(limits, 'filter', 'too_many', `finds more than ${limits.bulkRecords} records`);
  }
}

function counted(count: number): WriteResponse {
  return resultWritten(JSON.stringify({ count }));
}

function chosen(context: SchemaContext, raw: RawQuery, action: 'update' | 'delete'): Condition {
  const faults = new QueryFaults(context.limits);
  return filteredBy(context, parseBulkFilter(raw, faults), action, faults);
}
