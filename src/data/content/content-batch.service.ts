import { keyText, primaryOf } from './resolve/sql-values.js';
import { Injectable } from '@nestjs/common';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../model/schema-model.types.js';
import { resultWritten, type WriteResponse } from './answers.js';
import { type ContentContext, ContentContexts, schemaFor } from './content-context.service.js';
import { deletionRules } from './plan/deletion-rules.js';
import { LockPlan, locksOthers } from './plan/plan-locks.js';
import { type BatchOperation, parseBatch, refersToAny, type Result, withResults } from './request/parse-batch.js';
import { assertNoParameters } from './request/parse-list-query.js';
import { isWritable } from './resolve/content-access.js';
import { type BatchRun, BatchRuns, DELETED, type OperationResult } from './write/batch-runs.service.js';
import { toContentFault } from './write/content-faults.js';
import { inTransaction, type WriteTransaction } from './write/transaction/in-transaction.js';
import { type WriteRequest, answerOnce } from './write/write-request.js';
import { RecordChanges } from './write/hooks/record-changes.service.js';
import { lockPlanned, RecordLocking, acquireTurns } from './write/record-locking.service.js';
import { RecordRemover } from './write/deletion/record-remover.service.js';
import { SetWriter } from './write/sets/set-writer.service.js';
import { SingleStatementWriter } from './write/single-statement-writer.service.js';
import { areVisible, planDefaultResponse, readBody, resolveBody, writtenRecord } from './write/written-record.js';

@Injectable()
export class ContentBatch {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
    private readonly remover: RecordRemover,
    private readonly records: RecordChanges,
    private readonly singleStatement: SingleStatementWriter,
    private readonly runs: BatchRuns,
  ) {}

  /** Returns the results in order. An error contains the index of its `operation`. */
  async run({ principal, origin, body, query, idempotencyKey }: WriteRequest): Promise<WriteResponse> {
    const operations = parseBatch(body, this.contexts.limits);
    return this.contexts.retryOnSchemaChange(async () => {
      const context = { ...(await this.contexts.open(principal)), origin };
      for (const [at, operation] of operations.entries()) assertMay(context, operation, at);
      assertNoParameters(query, context.limits);
      const bodies = operations.map(({ schema, op, data }) => ({ schema: schemaFor(context, schema, op), body: data }));
      const request = await this.records.prepare(context, bodies);
      return inTransaction(this.changes, context, { isDelete: false, request }, (transaction) =>
        answerOnce(
          transaction,
          idempotencyKey,
          () => this.all(transaction, operations),
          (answered, keys) => areAllSeen(transaction, operations, [answered].flat(), [keys].flat()),
        ),
      );
    });
  }

  private async all(transaction: WriteTransaction, operations: readonly BatchOperation[]): Promise<WriteResponse> {
    const results = new Map<string, Result>();
    const done: OperationResult[] = [];
    const note = ({ as }: BatchOperation, row: OperationResult): void => {
      if (as !== null) results.set(as, Object(JSON.parse(row.item)) as Result);
      done.push(row);
    };
    const runs = runsOf(transaction.context, operations);
    await this.lockInOrder(transaction, operations, areInOrder(runs) && !isAnyLockingOthers(runs));
    for (const one of runs) {
      const rows = await this.runs.run(transaction, one, results);
      for (const [index, operation] of one.operations.entries())
        note(operation, rows?.[index] ?? (await this.located(transaction, operation, results, done.length)));
    }
    const list = (rows: readonly string[]): string => `[${rows.join(',')}]`;
    return resultWritten(list(done.map(({ item }) => item)), list(done.map(({ key }) => key)));
  }

  /**
   * Locks the records of all operations in one global order, to prevent deadlocks between batches. Permissions are checked later.
   *
   * @param isOrdered true if the operations already lock rows in this order.
   */
  private async lockInOrder(
    transaction: WriteTransaction,
    operations: readonly BatchOperation[],
    isOrdered: boolean,
  ): Promise<void> {
    const { context } = transaction;
    const locks = new LockPlan(true);
    for (const { op, schema: name, id, data } of operations) {
      const schema = schemaFor(context, name, op);
      const key = keyText(id, primaryOf(schema));
      if (op !== 'create' && key === undefined) continue;
      const { turns } = deletionRules(context.snapshot, schema, this.records);
      if (op === 'delete') locks.addDeleted(schema, [key], turns.delete);
      else if (locksOthers(op, schema, data))
        locks.add({ write: readBody({ ...context, schema }, op, data).write, ids: key === undefined ? [] : [key] });
      else if (key !== undefined) locks.addChanged(schema, [key]);
    }
    await (isOrdered ? acquireTurns(transaction, locks) : lockPlanned(transaction, locks));
  }

  private async located(
    transaction: WriteTransaction,
    operation: BatchOperation,
    results: ReadonlyMap<string, Result>,
    at: number,
  ): Promise<OperationResult> {
    try {
      const row = await this.one(transaction, operation, results);
      await transaction.ruleChecks.settle();
      return row;
    } catch (error) {
      throw located(toContentFault(error, transaction.context, operation.op === 'delete'), at);
    }
  }

  private async one(
    transaction: WriteTransaction,
    { op, schema: name, id: operationId, data, ifMatch }: BatchOperation,
    results: ReadonlyMap<string, Result>,
  ): Promise<OperationResult> {
    const schema = schemaFor(transaction.context, name, op);
    const here = { ...transaction.context, schema };
    const body = withResults(data, results);
    if (op === 'create') {
      const written = await this.singleStatement.create(here, planDefaultResponse(here), body, transaction);
      if (written !== null) return written;
      const [id = ''] = await this.writer.create(transaction, [resolveBody(here, 'create', body)]);
      return writtenRecord(transaction, here, planDefaultResponse(here), id);
    }
    const key = withResults(operationId, results);
    if (typeof key !== 'string' && typeof key !== 'number') throw new AppError('record_not_found');
    const request = { id: String(key), body, ifMatch };
    if (op === 'update') {
      const written = await this.singleStatement.change(
        here,
        planDefaultResponse(here),
        request,
        'update',
        transaction,
      );
      if (written !== null) return written;
    }
    if (op === 'delete' && (await this.singleStatement.remove(here, request, transaction))) return DELETED;
    const locked = await this.locking.lock(transaction, schema, request, op);
    if (op === 'delete') {
      await this.remover.remove(transaction, schema, [locked.id]);
      return DELETED;
    }
    await this.writer.update(transaction, resolveBody(here, 'update', body, locked), [locked]);
    return writtenRecord(transaction, here, planDefaultResponse(here), locked.id);
  }
}

/** Returns true if runs that name records are already in lock order. Then each run can lock its own records. */
function areInOrder(runs: readonly BatchRun[]): boolean {
  const schemas = runs.filter(({ op }) => op !== 'create').map(({ schema }) => schema);
  return schemas.every(({ table }, at) => at === 0 || (schemas[at - 1]?.table.name ?? '') < table.name);
}

function isAnyLockingOthers(runs: readonly BatchRun[]): boolean {
  return runs.some(({ op, schema, operations }) =>
    operations.some(({ data }) => op === 'delete' || locksOthers(op, schema, data)),
  );
}

async function areAllSeen(
  transaction: WriteTransaction,
  operations: readonly BatchOperation[],
  answered: readonly unknown[],
  keys: readonly unknown[],
): Promise<boolean> {
  const { context } = transaction;
  const schemas = operations.map(({ schema, op }) => schemaFor(context, schema, op));
  for (const schema of new Set(schemas)) {
    const own = <T>(list: readonly T[]): readonly T[] => list.filter((_, at) => schemas[at] === schema);
    const here = { ...context, schema };
    if (!(await areVisible(transaction, here, planDefaultResponse(here), own(answered), own(keys)))) return false;
  }
  return true;
}

/** Groups adjacent operations of one kind on one schema. No operation of a run refers to a result of the same run. */
function runsOf(context: ContentContext, operations: readonly BatchOperation[]): readonly BatchRun[] {
  const runs: { op: BatchOperation['op']; schema: LinkedSchema; operations: BatchOperation[]; names: Set<string> }[] =
    [];
  for (const operation of operations) {
    const { op, id, data, as } = operation;
    const schema = schemaFor(context, operation.schema, op);
    const last = runs.at(-1);
    const isNext = last?.op === op && last.schema === schema && !refersToAny([id, data], last.names);
    const run = last !== undefined && isNext ? last : { op, schema, operations: [], names: new Set<string>() };
    if (run !== last) runs.push(run);
    run.operations.push(operation);
    if (as !== null) run.names.add(as);
  }
  return runs;
}

/** Throws unless the operation is permitted at all. This is checked before any operation runs, and before a stored response is replayed. */
function assertMay(context: ContentContext, { schema: name, op }: BatchOperation, at: number): void {
  try {
    if (!isWritable(schemaFor(context, name, op), op, context.access)) throw new AppError('permission_denied');
  } catch (error) {
    throw located(error, at);
  }
}

function located(error: unknown, operation: number): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, { details: { ...error.details, operation }, cause: error });
}
