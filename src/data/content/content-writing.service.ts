import { Injectable } from '@nestjs/common';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import {
  recordsWritten,
  recordWritten,
  resultWritten,
  type WriteAnswer,
  type WrittenRow,
} from './answer/write-answer.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import type { WrittenAnswer } from './plan/write-plan.types.js';
import { refuseParameters } from './request/parse-list-query.js';
import type { ContentAction } from './resolve/resolved.types.js';
import { isWritable } from './resolve/writes/write-access.js';
import { WriteFaults } from './resolve/writes/write-faults.js';
import type { WriteMode } from './resolve/writes/write.types.js';
import { inTransaction } from './write/in-transaction.js';
import { IdempotencyStore } from './write/idempotency-store.service.js';
import { RecordChanges } from './write/record-changes.service.js';
import { RecordRemover } from './write/record-remover.service.js';
import { restoreRecord } from './write/record-restorer.js';
import { RecordWriter } from './write/record-writer.js';
import { SingleStatementWriter } from './write/single-statement-writer.service.js';
import type { WriteRequest } from './write/write-request.js';
import type { WriteTransaction } from './write/write-transaction.types.js';
import {
  answerTo,
  areSeen,
  lockRecord,
  resolveBodies,
  readBody,
  resolveBody,
  resolveLocked,
  writtenRecord,
  writtenRecords,
} from './write/written-record.js';

/** Writes records. Each request is one transaction, including nested writes. */
@Injectable()
export class ContentWriting {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: RecordWriter,
    private readonly remover: RecordRemover,
    private readonly answers: IdempotencyStore,
    private readonly singleStatement: SingleStatementWriter,
    private readonly records: RecordChanges,
  ) {}

  /** Creates one record or a list, all or none. Throws `field_invalid` and errors of rules and the database. */
  async create(request: WriteRequest): Promise<WriteAnswer> {
    const { schema, body, prefer } = request;
    const createdAnswer = (row: WrittenRow): WriteAnswer =>
      recordWritten(row, prefer, `/api/content/${schema}/${encodeURIComponent(row.id)}`);
    return this.open(request, 'create', async (context) => {
      const answer = answerTo(context, request);
      const isAlone = standsAlone(request);
      const written = isAlone && !Array.isArray(body) ? await this.singleStatement.create(context, answer, body) : null;
      if (written !== null) return createdAnswer(written);
      return this.transaction(
        context,
        'create',
        request,
        async (transaction) => {
          if (Array.isArray(body)) return this.createAll(transaction, context, answer, request);
          const again = isAlone ? null : await this.singleStatement.create(context, answer, body, transaction);
          if (again !== null) return createdAnswer(again);
          const [id = ''] = await this.writer.create(transaction, [resolveBody(context, 'create', body)]);
          return createdAnswer(await writtenRecord(transaction, context, answer, id));
        },
        answer,
      );
    });
  }

  /** Updates or replaces a record. Throws `record_not_found`, `record_changed` and the errors of {@link create}. */
  async update(request: WriteRequest, mode: Exclude<WriteMode, 'create'>): Promise<WriteAnswer> {
    const { prefer, body } = request;
    return this.open(request, 'update', async (context) => {
      const answer = answerTo(context, request);
      const isAlone = standsAlone(request);
      const written = isAlone ? await this.singleStatement.change(context, answer, request, mode) : null;
      if (written !== null) return recordWritten(written, prefer, null);
      return this.transaction(
        context,
        'update',
        request,
        async (transaction) => {
          const again = isAlone ? null : await this.singleStatement.change(context, answer, request, mode, transaction);
          if (again !== null) return recordWritten(again, prefer, null);
          const read = readBody(context, mode, body);
          const locked = await lockRecord(this.writer, transaction, context.schema, request, 'update', read.write);
          await this.writer.update(transaction, resolveLocked(context, mode, body, { read, locked }), locked);
          return recordWritten(await writtenRecord(transaction, context, answer, locked.id), prefer, null);
        },
        answer,
      );
    });
  }

  /** Throws `record_not_found`, `record_changed`, `record_in_use`. */
  async remove(request: WriteRequest): Promise<WriteAnswer> {
    const { query } = request;
    return this.open(request, 'delete', async (context) => {
      refuseParameters(query, context.limits);
      const isAlone = standsAlone(request);
      if (isAlone && (await this.singleStatement.remove(context, request))) return resultWritten('true');
      return this.transaction(context, 'delete', request, async (transaction) => {
        if (!isAlone && (await this.singleStatement.remove(context, request, transaction)))
          return resultWritten('true');
        const locked = await lockRecord(this.writer, transaction, context.schema, request, 'delete');
        await this.remover.remove(transaction, context.schema, [locked.id]);
        return resultWritten('true');
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
          const locked = await lockRecord(this.writer, transaction, context.schema, request, 'restore');
          await restoreRecord(this.records, transaction, context.schema, locked.id);
          return recordWritten(await writtenRecord(transaction, context, answer, locked.id), request.prefer, null);
        },
        answer,
      );
    });
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
      this.answers.run(
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
    if (entries.length > bulkRecords) {
      const faults = new WriteFaults();
      faults.add(context.schema.name, 'too_many', `has more than ${bulkRecords} records`);
      faults.assertNone();
    }
    const ids = await this.writer.create(transaction, resolveBodies(context, entries));
    return recordsWritten(await writtenRecords(transaction, context, answer, ids), prefer);
  }
}

/** Returns true if the request has no idempotency key and joins no transaction. Then one statement may be enough. */
function standsAlone({ idempotencyKey, within }: WriteRequest): boolean {
  return idempotencyKey === null && within === undefined;
}
