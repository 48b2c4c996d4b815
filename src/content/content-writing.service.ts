import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.types.js';
import { ChangeFeed } from '../database/change-feed.js';
import { AppError } from '../kernel/app-error.js';
import { recordsWritten, recordWritten, type WriteAnswer } from './answer/write-answer.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import { CONTENT_LIMITS } from './request/content-limits.js';
import { parseRecordQuery } from './request/parse-list-query.js';
import type { ContentAction } from './resolve/resolved.types.js';
import { isWritable } from './resolve/write-access.js';
import { fieldInvalid } from './resolve/write-faults.js';
import type { WriteMode } from './resolve/write.types.js';
import { inTransaction } from './write/in-transaction.js';
import { KeptAnswers } from './write/kept-answers.service.js';
import { type LockedRecord, RecordWriter } from './write/record-writer.js';
import type { WriteRequest } from './write/write-request.js';
import type { WriteTransaction } from './write/write-transaction.types.js';
import { assertUnchanged, resolveBody, type WrittenQuery, writtenRecord } from './write/written-record.js';

/** Writes records: one request is one transaction, with everything that it nests. */
@Injectable()
export class ContentWriting {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeFeed,
    private readonly writer: RecordWriter,
    private readonly answers: KeptAnswers,
  ) {}

  /** Makes a record, or a list of them, all or none. Throws `field_invalid` and what the rules and the database refuse. */
  async create(request: WriteRequest): Promise<WriteAnswer> {
    const query = writtenQuery(request);
    return this.write(request.principal, request.schema, 'create', (transaction, context) =>
      this.answers.once(transaction, request.once, async () => {
        if (Array.isArray(request.body)) return this.createAll(transaction, context, query, request);
        const id = await this.createOne(transaction, context, request.body);
        const row = await writtenRecord(transaction, context, query, id);
        return recordWritten(row, request.prefer, `/api/content/${request.schema}/${encodeURIComponent(id)}`);
      }),
    );
  }

  /** Changes a record in part, or replaces it. Throws `record_not_found`, `record_changed` and what {@link create} throws. */
  async update(request: WriteRequest, mode: Exclude<WriteMode, 'create'>): Promise<WriteAnswer> {
    const query = writtenQuery(request);
    return this.write(request.principal, request.schema, 'update', async (transaction, context) => {
      const locked = await this.lock(transaction, context, request, 'update');
      await this.writer.update(transaction, resolveBody(context, mode, request.body, locked), locked);
      return recordWritten(await writtenRecord(transaction, context, query, locked.id), request.prefer, null);
    });
  }

  /** Deletes a record. Throws `record_not_found`, `record_changed`, `record_in_use`. */
  async remove(request: WriteRequest): Promise<void> {
    await this.write(request.principal, request.schema, 'delete', async (transaction, context) => {
      const locked = await this.lock(transaction, context, request, 'delete');
      await this.writer.remove(transaction, context.schema, locked);
    });
  }

  /** Takes a deletion back. Throws `record_not_found` where there is none. */
  async restore(request: WriteRequest): Promise<WriteAnswer> {
    const query = writtenQuery(request);
    return this.write(request.principal, request.schema, 'restore', (transaction, context) =>
      this.answers.once(transaction, request.once, async () => {
        const locked = await this.lock(transaction, context, request, 'restore');
        await this.writer.restore(transaction, context.schema, locked);
        return recordWritten(await writtenRecord(transaction, context, query, locked.id), request.prefer, null);
      }),
    );
  }

  /** Runs work on a schema in one transaction; what the database refuses is told in our words. */
  async write<T>(
    principal: Principal,
    name: string,
    action: ContentAction,
    work: (transaction: WriteTransaction, context: SchemaContext) => Promise<T>,
  ): Promise<T> {
    return this.contexts.onNewest(async () => {
      const context = await this.contexts.openSchema(principal, name, action);
      if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
      return inTransaction(this.changes, context, action === 'delete', (transaction) => work(transaction, context));
    });
  }

  private async createAll(
    transaction: WriteTransaction,
    context: SchemaContext,
    query: WrittenQuery,
    { body, prefer }: WriteRequest,
  ): Promise<WriteAnswer> {
    const entries = Array.isArray(body) ? (body as readonly unknown[]) : [];
    if (entries.length > CONTENT_LIMITS.bulkRecords) throw fieldInvalid(context.schema.name, 'too_many');
    const items: string[] = [];
    for (const entry of entries) {
      const id = await this.createOne(transaction, context, entry);
      items.push((await writtenRecord(transaction, context, query, id)).item);
    }
    return recordsWritten(items, prefer);
  }

  private async createOne(transaction: WriteTransaction, context: SchemaContext, body: unknown): Promise<string> {
    return this.writer.create(transaction, resolveBody(context, 'create', body));
  }

  private async lock(
    transaction: WriteTransaction,
    { schema }: SchemaContext,
    { id, ifMatch }: WriteRequest,
    action: ContentAction,
  ): Promise<LockedRecord> {
    const locked = await this.writer.lock(transaction, schema, id, action);
    if (locked === null) throw new AppError('record_not_found');
    assertUnchanged(locked, ifMatch);
    return locked;
  }
}

/** What is answered, as the request says. Throws `query_invalid`. */
function writtenQuery({ query, prefer }: WriteRequest): WrittenQuery {
  return { ...parseRecordQuery(query), isMinimal: prefer === 'minimal' };
}
