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

/** Writes records: one request is one transaction, with everything that it nests. */
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

  /** Makes a record, or a list of them, all or none. Throws `field_invalid` and what the rules and the database refuse. */
  async create(request: WriteRequest): Promise<WriteAnswer> {
    const { schema, body, prefer } = request;
    const told = (row: WrittenRow): WriteAnswer =>
      recordWritten(row, prefer, `/api/content/${schema}/${encodeURIComponent(row.id)}`);
    return this.open(request, 'create', async (context) => {
      const answer = answerTo(context, request);
      const isAlone = standsAlone(request);
      const written = isAlone && !Array.isArray(body) ? await this.singleStatement.create(context, answer, body) : null;
      if (written !== null) return told(written);
      return this.transaction(
        context,
        'create',
        request,
        async (transaction) => {
          if (Array.isArray(body)) return this.createAll(transaction, context, answer, request);
          const again = isAlone ? null : await this.singleStatement.create(context, answer, body, transaction);
          if (again !== null) return told(again);
          const [id = ''] = await this.writer.create(transaction, [resolveBody(context, 'create', body)]);
          return told(await writtenRecord(transaction, context, answer, id));
        },
        answer,
      );
    });
  }

  /** Changes a record in part, or replaces it. Throws `record_not_found`, `record_changed` and what {@link create} throws. */
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

  /** Deletes a record. Throws `record_not_found`, `record_changed`, `record_in_use`. */
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

  /** Takes a deletion back. Throws `record_not_found` if there is none. */
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

  /** Opens a request that writes; once more where the schemas were changed under it. */
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
   * Runs work in one transaction, and with a key once; what the database refuses is told in our words.
   *
   * @param answer what is answered of records; null if none are.
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

/** Returns whether one statement may be all of a request: it is not to be done once, and joins no transaction. */
function standsAlone({ idempotencyKey, within }: WriteRequest): boolean {
  return idempotencyKey === null && within === undefined;
}
