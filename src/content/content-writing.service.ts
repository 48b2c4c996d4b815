import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.types.js';
import { ChangeFeed } from '../database/change-feed.js';
import { AppError } from '../kernel/app-error.js';
import { recordAnswer, type RecordBody } from './answer/list-answer.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import { CONTENT_LIMITS } from './request/content-limits.js';
import type { RecordQuery } from './request/list-query.types.js';
import { parseRecordQuery, type RawQuery } from './request/parse-list-query.js';
import type { ContentAction } from './resolve/resolved.types.js';
import { isWritable } from './resolve/write-access.js';
import { fieldInvalid } from './resolve/write-faults.js';
import type { WriteMode } from './resolve/write.types.js';
import { inTransaction } from './write/in-transaction.js';
import { type LockedRecord, RecordWriter } from './write/record-writer.js';
import { assertUnchanged, resolveBody, writtenRecord } from './write/written-record.js';
import type { WriteTransaction } from './write/write-transaction.types.js';

/** Which record, of which schema, for whom. */
export interface RecordAddress {
  readonly principal: Principal;
  readonly schema: string;
  readonly id: string;
  /** Entity tags of which one must be the record's; null where any is fine. */
  readonly ifMatch: string | null;
}

/** Writes records: one request is one transaction, with everything that it nests. */
@Injectable()
export class ContentWriting {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeFeed,
    private readonly writer: RecordWriter,
  ) {}

  /** Makes a record, or a list of them, all or none. Throws `field_invalid` and what the rules and the database refuse. */
  async create(principal: Principal, name: string, body: unknown, raw: RawQuery): Promise<RecordBody> {
    const query = parseRecordQuery(raw);
    return this.write(principal, name, 'create', async (transaction, context) => {
      if (!Array.isArray(body))
        return this.answer(transaction, context, query, await this.createOne(transaction, context, body));
      if (body.length > CONTENT_LIMITS.bulkRecords) throw fieldInvalid(context.schema.name, 'too_many');
      const items: string[] = [];
      for (const entry of body) {
        const id = await this.createOne(transaction, context, entry);
        items.push((await writtenRecord(transaction, context, query, id)).item);
      }
      return { body: `{"data":[${items.join(',')}]}`, version: null };
    });
  }

  /** Changes a record in part, or replaces it. Throws `record_not_found`, `record_changed` and what {@link create} throws. */
  async update(
    address: RecordAddress,
    mode: Exclude<WriteMode, 'create'>,
    body: unknown,
    raw: RawQuery,
  ): Promise<RecordBody> {
    const query = parseRecordQuery(raw);
    return this.write(address.principal, address.schema, 'update', async (transaction, context) => {
      const locked = await this.lock(transaction, context, address, 'update');
      await this.writer.update(transaction, resolveBody(context, mode, body, locked), locked);
      return this.answer(transaction, context, query, locked.id);
    });
  }

  /** Deletes a record. Throws `record_not_found`, `record_changed`, `record_in_use`. */
  async remove(address: RecordAddress): Promise<void> {
    await this.write(address.principal, address.schema, 'delete', async (transaction, context) => {
      const locked = await this.lock(transaction, context, address, 'delete');
      await this.writer.remove(transaction, context.schema, locked);
    });
  }

  /** Takes a deletion back. Throws `record_not_found` where there is none. */
  async restore(address: RecordAddress, raw: RawQuery): Promise<RecordBody> {
    const query = parseRecordQuery(raw);
    return this.write(address.principal, address.schema, 'restore', async (transaction, context) => {
      const locked = await this.lock(transaction, context, address, 'restore');
      await this.writer.restore(transaction, context.schema, locked);
      return this.answer(transaction, context, query, locked.id);
    });
  }

  /** Runs work on a schema in one transaction; what the database refuses is told in our words. */
  async write<T>(
    principal: Principal,
    name: string,
    action: ContentAction,
    work: (transaction: WriteTransaction, context: SchemaContext) => Promise<T>,
  ): Promise<T> {
    const context = await this.contexts.openSchema(principal, name, action);
    if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
    return inTransaction(this.changes, context, action === 'delete', (transaction) => work(transaction, context));
  }

  private async createOne(transaction: WriteTransaction, context: SchemaContext, body: unknown): Promise<string> {
    return this.writer.create(transaction, resolveBody(context, 'create', body));
  }

  private async lock(
    transaction: WriteTransaction,
    { schema }: SchemaContext,
    { id, ifMatch }: RecordAddress,
    action: ContentAction,
  ): Promise<LockedRecord> {
    const locked = await this.writer.lock(transaction, schema, id, action);
    if (locked === null) throw new AppError('record_not_found');
    assertUnchanged(locked, ifMatch);
    return locked;
  }

  private async answer(
    transaction: WriteTransaction,
    context: SchemaContext,
    query: RecordQuery,
    id: string,
  ): Promise<RecordBody> {
    const { item, version } = await writtenRecord(transaction, context, query, id);
    return { body: recordAnswer(item), version };
  }
}
