import { Injectable } from '@nestjs/common';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { recordsWritten, recordWritten, resultWritten, type WriteResponse, type WrittenRow } from './answers.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import type { ResponsePlan } from './plan/plan-write.js';
import { assertNoParameters } from './request/parse-list-query.js';
import type { ContentAction } from './resolve/conditions.js';
import { isWritable } from './resolve/content-access.js';
import { fieldInvalid } from './resolve/writes/write-faults.js';
import type { WriteMode } from './resolve/writes/record-write.js';
import { inTransaction, type WriteTransaction } from './write/transaction/in-transaction.js';
import { type WriteRequest, answerOnce } from './write/write-request.js';
import { RecordChanges } from './write/hooks/record-changes.service.js';
import { RecordLocking } from './write/record-locking.service.js';
import { RecordRemover } from './write/deletion/record-remover.service.js';
import { restoreRecord } from './write/deletion/record-restorer.js';
import { SetWriter } from './write/sets/set-writer.service.js';
import { SingleStatementWriter } from './write/single-statement-writer.service.js';
import {
  planResponse,
  areVisible,
  resolveBodies,
  readBody,
  resolveBody,
  resolveLocked,
  writtenRecord,
  writtenRecords,
} from './write/written-record.js';

/** Two implementations of a write. One statement is faster, but cannot perform every write. */
interface WriteStrategies {
  /** Null if the response contains no record. */
  readonly responsePlan: ResponsePlan | null;
  /** Returns null if one statement cannot perform the write. Nothing was written then. */
  readonly inOneStatement: (transaction?: WriteTransaction) => Promise<WriteResponse | null>;
  readonly inSteps: (transaction: WriteTransaction) => Promise<WriteResponse>;
}

/** Writes records. Each request is one transaction, including nested writes. */
@Injectable()
export class ContentWriting {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
    private readonly remover: RecordRemover,
    private readonly singleStatement: SingleStatementWriter,
    private readonly records: RecordChanges,
  ) {}

  /** Creates one record, or all records of a list. Throws `field_invalid` and errors of rules and the database. */
  async create(request: WriteRequest): Promise<WriteResponse> {
    const { schema, body, prefer } = request;
    const createdResponse = (row: WrittenRow): WriteResponse =>
      recordWritten(row, prefer, `/api/content/${schema}/${encodeURIComponent(row.id)}`);
    return this.open(request, 'create', (context) => {
      const responsePlan = planResponse(context, request);
      return this.write(context, 'create', request, {
        responsePlan,
        inOneStatement: async (transaction) => {
          if (Array.isArray(body)) return null;
          const row = await this.singleStatement.create(context, responsePlan, body, transaction);
          return row && createdResponse(row);
        },
        inSteps: async (transaction) => {
          if (Array.isArray(body)) return this.createAll(transaction, context, responsePlan, request);
          const [id = ''] = await this.writer.create(transaction, [resolveBody(context, 'create', body)]);
          return createdResponse(await writtenRecord(transaction, context, responsePlan, id));
        },
      });
    });
  }

  /** Updates or replaces a record. Throws `record_not_found`, `record_changed` and the errors of {@link create}. */
  async update(request: WriteRequest, mode: Exclude<WriteMode, 'create'>): Promise<WriteResponse> {
    const { prefer, body } = request;
    return this.open(request, 'update', (context) => {
      const responsePlan = planResponse(context, request);
      return this.write(context, 'update', request, {
        responsePlan,
        inOneStatement: async (transaction) => {
          const row = await this.singleStatement.change(context, responsePlan, request, mode, transaction);
          return row && recordWritten(row, prefer, null);
        },
        inSteps: async (transaction) => {
          const read = readBody(context, mode, body);
          const locked = await this.locking.lock(transaction, context.schema, request, 'update', read.write);
          await this.writer.update(transaction, resolveLocked(context, mode, body, { read, locked }), [locked]);
          return recordWritten(await writtenRecord(transaction, context, responsePlan, locked.id), prefer, null);
        },
      });
    });
  }

  /** Deletes a record. Throws `record_not_found`, `record_changed`, `record_in_use`. */
  async remove(request: WriteRequest): Promise<WriteResponse> {
    return this.open(request, 'delete', (context) => {
      assertNoParameters(request.query, context.limits);
      return this.write(context, 'delete', request, {
        responsePlan: null,
        inOneStatement: async (transaction) =>
          (await this.singleStatement.remove(context, request, transaction)) ? resultWritten('true') : null,
        inSteps: async (transaction) => {
          const locked = await this.locking.lock(transaction, context.schema, request, 'delete');
          await this.remover.remove(transaction, context.schema, [locked.id]);
          return resultWritten('true');
        },
      });
    });
  }

  /** Restores a deleted record. Throws `record_not_found` if no deleted record has the id. */
  async restore(request: WriteRequest): Promise<WriteResponse> {
    return this.open(request, 'restore', (context) => {
      const responsePlan = planResponse(context, request);
      return this.transaction(
        context,
        'restore',
        request,
        async (transaction) => {
          const locked = await this.locking.lock(transaction, context.schema, request, 'restore');
          await restoreRecord(this.records, transaction, context.schema, locked.id);
          return recordWritten(
            await writtenRecord(transaction, context, responsePlan, locked.id),
            request.prefer,
            null,
          );
        },
        responsePlan,
      );
    });
  }

  /**
   * Writes with one statement, or with several steps in a transaction if the statement wrote nothing. The statement needs no explicit
   * transaction if the request has no idempotency key and is not part of a transaction of the caller.
   */
  private async write(
    context: SchemaContext,
    action: ContentAction,
    request: WriteRequest,
    { responsePlan, inOneStatement, inSteps }: WriteStrategies,
  ): Promise<WriteResponse> {
    const canSkipTransaction = request.idempotencyKey === null && request.within === undefined;
    const written = canSkipTransaction ? await inOneStatement() : null;
    if (written !== null) return written;
    return this.transaction(
      context,
      action,
      request,
      async (transaction) => (canSkipTransaction ? null : await inOneStatement(transaction)) ?? inSteps(transaction),
      responsePlan,
    );
  }

  /** Runs a write with the context of its principal and schema. Retries it if the schemas change meanwhile. */
  async open<T>(
    { principal, schema: name, origin }: Pick<WriteRequest, 'principal' | 'schema' | 'origin'>,
    action: ContentAction,
    work: (context: SchemaContext) => Promise<T>,
  ): Promise<T> {
    return this.contexts.retryOnSchemaChange(async () => {
      const context = { ...(await this.contexts.openSchema(principal, name, action)), origin };
      if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
      return work(context);
    });
  }

  /**
   * Runs work in one transaction (once per idempotency key) and maps database errors to API errors.
   *
   * @param responsePlan null if the response contains no records.
   */
  async transaction(
    context: SchemaContext,
    action: ContentAction,
    { idempotencyKey, body, within }: Pick<WriteRequest, 'idempotencyKey' | 'body' | 'within'>,
    work: (transaction: WriteTransaction) => Promise<WriteResponse>,
    responsePlan: ResponsePlan | null = null,
  ): Promise<WriteResponse> {
    const request = await this.records.prepare(context, [{ schema: context.schema, body }]);
    return inTransaction(this.changes, context, { isDelete: action === 'delete', request, within }, (transaction) =>
      answerOnce(
        transaction,
        idempotencyKey,
        () => work(transaction),
        async (answered, keys) =>
          responsePlan === null || areVisible(transaction, context, responsePlan, [answered].flat(), [keys].flat()),
      ),
    );
  }

  private async createAll(
    transaction: WriteTransaction,
    context: SchemaContext,
    responsePlan: ResponsePlan,
    { body, prefer }: WriteRequest,
  ): Promise<WriteResponse> {
    const entries = Array.isArray(body) ? (body as readonly unknown[]) : [];
    const { bulkRecords } = context.limits;
    if (entries.length > bulkRecords)
      throw fieldInvalid(context.schema.name, 'too_many', `has more than ${bulkRecords} records`);
    const ids = await this.writer.create(transaction, resolveBodies(context, entries));
    return recordsWritten(await writtenRecords(transaction, context, responsePlan, ids), prefer);
  }
}
