import { Injectable } from '@nestjs/common';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { recordsWritten, recordWritten, resultWritten, type WriteAnswer, type WrittenRow } from './answers.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import type { WrittenAnswer } from './plan/plan-write.js';
import { refuseParameters } from './request/parse-list-query.js';
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
  answerTo,
  areSeen,
  resolveBodies,
  readBody,
  resolveBody,
  resolveLocked,
  writtenRecord,
  writtenRecords,
} from './write/written-record.js';

interface RecordSteps {
  /** Null if no record is returned. */
  readonly answer: WrittenAnswer | null;
  /** Null if nothing was written. */
  readonly single: (transaction?: WriteTransaction) => Promise<WriteAnswer | null>;
  readonly inSteps: (transaction: WriteTransaction) => Promise<WriteAnswer>;
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

  /** Creates one record or a list, all or none. Throws `field_invalid` and errors of rules and the database. */
  async create(request: WriteRequest): Promise<WriteAnswer> {
    const { schema, body, prefer } = request;
    const createdAnswer = (row: WrittenRow): WriteAnswer =>
      recordWritten(row, prefer, `/api/content/${schema}/${encodeURIComponent(row.id)}`);
    return this.open(request, 'create', (context) => {
      const answer = answerTo(context, request);
      return this.write(context, 'create', request, {
        answer,
        single: async (transaction) => {
          if (Array.isArray(body)) return null;
          const row = await this.singleStatement.create(context, answer, body, transaction);
          return row && createdAnswer(row);
        },
        inSteps: async (transaction) => {
          if (Array.isArray(body)) return this.createAll(transaction, context, answer, request);
          const [id = ''] = await this.writer.create(transaction, [resolveBody(context, 'create', body)]);
          return createdAnswer(await writtenRecord(transaction, context, answer, id));
        },
      });
    });
  }

  /** Updates or replaces a record. Throws `record_not_found`, `record_changed` and the errors of {@link create}. */
  async update(request: WriteRequest, mode: Exclude<WriteMode, 'create'>): Promise<WriteAnswer> {
    const { prefer, body } = request;
    return this.open(request, 'update', (context) => {
      const answer = answerTo(context, request);
      return this.write(context, 'update', request, {
        answer,
        single: async (transaction) => {
          const row = await this.singleStatement.change(context, answer, request, mode, transaction);
          return row && recordWritten(row, prefer, null);
        },
        inSteps: async (transaction) => {
          const read = readBody(context, mode, body);
          const locked = await this.locking.lock(transaction, context.schema, request, 'update', read.write);
          await this.writer.update(transaction, resolveLocked(context, mode, body, { read, locked }), [locked]);
          return recordWritten(await writtenRecord(transaction, context, answer, locked.id), prefer, null);
        },
      });
    });
  }

  /** Throws `record_not_found`, `record_changed`, `record_in_use`. */
  async remove(request: WriteRequest): Promise<WriteAnswer> {
    return this.open(request, 'delete', (context) => {
      refuseParameters(request.query, context.limits);
      return this.write(context, 'delete', request, {
        answer: null,
        single: async (transaction) =>
          (await this.singleStatement.remove(context, request, transaction)) ? resultWritten('true') : null,
        inSteps: async (transaction) => {
          const locked = await this.locking.lock(transaction, context.schema, request, 'delete');
          await this.remover.remove(transaction, context.schema, [locked.id]);
          return resultWritten('true');
        },
      });
    });
  }

  /** Restores a deleted record. Throws `record_not_found` if there is none. */
  async restore(request: WriteRequest): Promise<WriteAnswer> {
    return this.open(request, 'restore', (context) => {
      const answer = answerTo(context, request);
      return this.transaction(
        context,
        'restore',
        request,
        async (transaction) => {
          const locked = await this.locking.lock(transaction, context.schema, request, 'restore');
          await restoreRecord(this.records, transaction, context.schema, locked.id);
          return recordWritten(await writtenRecord(transaction, context, answer, locked.id), request.prefer, null);
        },
        answer,
      );
    });
  }

  /**
   * Writes with one statement, or with steps in a transaction if the statement wrote nothing. A request without an idempotency key that
   * joins no transaction tries the statement first without one.
   */
  private async write(
    context: SchemaContext,
    action: ContentAction,
    request: WriteRequest,
    { answer, single, inSteps }: RecordSteps,
  ): Promise<WriteAnswer> {
    const isAlone = request.idempotencyKey === null && request.within === undefined;
    const written = isAlone ? await single() : null;
    if (written !== null) return written;
    return this.transaction(
      context,
      action,
      request,
      async (transaction) => (isAlone ? null : await single(transaction)) ?? inSteps(transaction),
      answer,
    );
  }

  /** Opens a write request. Retries it if the schemas changed meanwhile. */
  async open<T>(
    { principal, schema: name, origin }: Pick<WriteRequest, 'principal' | 'schema' | 'origin'>,
    action: ContentAction,
    work: (context: SchemaContext) => Promise<T>,
  ): Promise<T> {
    return this.contexts.onNewest(async () => {
      const context = { ...(await this.contexts.openSchema(principal, name, action)), origin };
      if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
      return work(context);
    });
  }

  /**
   * Runs work in one transaction (once per idempotency key) and maps database errors to API errors.
   *
   * @param answer null if no records are returned.
   */
  async transaction(
    context: SchemaContext,
    action: ContentAction,
    { idempotencyKey, body, within }: Pick<WriteRequest, 'idempotencyKey' | 'body' | 'within'>,
    work: (transaction: WriteTransaction) => Promise<WriteAnswer>,
    answer: WrittenAnswer | null = null,
  ): Promise<WriteAnswer> {
    const request = await this.records.prepare(context, [{ schema: context.schema, body }]);
    return inTransaction(this.changes, context, { isDelete: action === 'delete', request, within }, (transaction) =>
      answerOnce(
        transaction,
        idempotencyKey,
        () => work(transaction),
        async (answered, keys) =>
          answer === null || areSeen(transaction, context, answer, [answered].flat(), [keys].flat()),
      ),
    );
  }

  private async createAll(
    transaction: WriteTransaction,
    context: SchemaContext,
    answer: WrittenAnswer,
    { body, prefer }: WriteRequest,
  ): Promise<WriteAnswer> {
    const entries = Array.isArray(body) ? (body as readonly unknown[]) : [];
    const { bulkRecords } = context.limits;
    if (entries.length > bulkRecords)
      throw fieldInvalid(context.schema.name, 'too_many', `has more than ${bulkRecords} records`);
    const ids = await this.writer.create(transaction, resolveBodies(context, entries));
    return recordsWritten(await writtenRecords(transaction, context, answer, ids), prefer);
  }
}
