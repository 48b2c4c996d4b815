import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.types.js';
import { ChangeFeed } from '../database/change-feed.js';
import { AppError } from '../kernel/app-error.js';
import { type ContentContext, ContentContexts, schemaFor } from './content-context.service.js';
import { type BatchOperation, parseBatch, withResults } from './request/parse-batch.js';
import { SELECT_ALL } from './request/parse-select.js';
import { isWritable } from './resolve/write-access.js';
import { toContentFault } from './write/content-faults.js';
import { inTransaction } from './write/in-transaction.js';
import { RecordWriter } from './write/record-writer.js';
import type { WriteTransaction } from './write/write-transaction.types.js';
import { resolveBody, writtenRecord } from './write/written-record.js';

type Result = Readonly<Record<string, unknown>>;

const PLAIN = { select: SELECT_ALL, relations: new Map(), withDeleted: false };

/** Several writes over several schemas in one transaction: all or none. */
@Injectable()
export class ContentBatch {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeFeed,
    private readonly writer: RecordWriter,
  ) {}

  /** The body of the answer: the results in order. A refusal says which `operation` it is about. */
  async run(principal: Principal, body: unknown): Promise<string> {
    const operations = parseBatch(body);
    const context = await this.contexts.open(principal);
    const items = await inTransaction(this.changes, context, false, async (transaction) => {
      const results = new Map<string, Result>();
      const done: string[] = [];
      for (const [at, operation] of operations.entries()) {
        const item = await this.one(transaction, context, operation, results).catch((error: unknown) => {
          throw located(toContentFault(error, context.snapshot, operation.op === 'delete'), at);
        });
        if (operation.as !== null) results.set(operation.as, Object(JSON.parse(item)) as Result);
        done.push(item);
      }
      return done;
    });
    return `{"data":[${items.join(',')}]}`;
  }

  /** Does one operation and answers its result as JSON. */
  private async one(
    transaction: WriteTransaction,
    context: ContentContext,
    { op, schema: name, id: given, data }: BatchOperation,
    results: ReadonlyMap<string, Result>,
  ): Promise<string> {
    const schema = schemaFor(context, name, op);
    if (!isWritable(schema, op, context.access)) throw new AppError('permission_denied');
    const here = { ...context, schema };
    const body = withResults(data, results);
    if (op === 'create') {
      const id = await this.writer.create(transaction, resolveBody(here, 'create', body));
      return (await writtenRecord(transaction, here, PLAIN, id)).item;
    }
    const key = withResults(given, results);
    const isKey = typeof key === 'string' || typeof key === 'number';
    const locked = isKey ? await this.writer.lock(transaction, schema, String(key), op) : null;
    if (locked === null) throw new AppError('record_not_found');
    if (op === 'delete') {
      await this.writer.remove(transaction, schema, locked);
      return 'true';
    }
    await this.writer.update(transaction, resolveBody(here, 'update', body, locked), locked);
    return (await writtenRecord(transaction, here, PLAIN, locked.id)).item;
  }
}

/** The refusal with the operation that it is about. */
function located(error: unknown, operation: number): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, { details: { ...error.details, operation }, cause: error });
}
