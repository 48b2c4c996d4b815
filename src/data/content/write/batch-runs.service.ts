import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { WrittenRow } from '../answer/write-answer.js';
import type { ContentContext, SchemaContext } from '../content-context.service.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { deletionRules } from '../plan/deletion-rules.js';
import { looksOver } from '../plan/looks-over.js';
import { keyValue } from '../plan/plan-list.js';
import { type BatchOperation, type Result, withResults } from '../request/parse-batch.js';
import type { RecordLocks } from '../render/render-write.js';
import { allOf } from '../resolve/conditions.js';
import { hasKeyAmong } from '../resolve/key-of.js';
import { readsRecord } from '../resolve/field-expressions.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { RecordWrite } from '../resolve/writes/write.types.js';
import { attempt } from './in-transaction.js';
import { RecordChanges } from './record-changes.service.js';
import { RecordLists } from './record-lists.service.js';
import { RecordRemover } from './record-remover.service.js';
import { RecordWriter } from './record-writer.js';
import type { WriteTransaction } from './write-transaction.types.js';
import { plainAnswer, resolveBody, writtenRecords } from './written-record.js';

export type OperationResult = Pick<WrittenRow, 'item' | 'key'>;

export interface BatchRun {
  readonly op: BatchOperation['op'];
  readonly schema: LinkedSchema;
  readonly operations: readonly BatchOperation[];
}

type Given = readonly Pick<BatchOperation, 'id' | 'data'>[];

export const DELETED: OperationResult = { item: 'true', key: 'true' };

/**
 * Runs similar operations of a batch in bulk if the result equals running them one by one. Returns null if not possible or if an operation
 * fails; then all its changes are rolled back.
 */
@Injectable()
export class BatchRuns {
  constructor(
    private readonly lists: RecordLists,
    private readonly writer: RecordWriter,
    private readonly remover: RecordRemover,
    private readonly changes: RecordChanges,
  ) {}

  async run(
    transaction: WriteTransaction,
    all: ContentContext,
    { op, schema, operations }: BatchRun,
    results: ReadonlyMap<string, Result>,
  ): Promise<readonly OperationResult[] | null> {
    if (operations.some(({ ifMatch }) => ifMatch !== null)) return null;
    if (operations.length === 1 || (op === 'update' && readsRecord(schema))) return null;
    const context = { ...all, schema };
    const given = unlessRefused(() => operations.map(({ id, data }) => withResults({ id, data }, results) as Given[0]));
    const keys = given && (op === 'create' ? [] : keysIn(context, given));
    if (given === null || keys === null) return null;
    if (op === 'delete') return this.remove(transaction, context, keys);
    const writes = unlessRefused(() => given.map(({ data }) => resolveBody(context, op, data)));
    return writes && this.write(transaction, context, writes, keys);
  }

  private async write(
    transaction: WriteTransaction,
    context: SchemaContext,
    writes: readonly RecordWrite[],
    keys: readonly string[],
  ): Promise<readonly OperationResult[] | null> {
    const { schema, fields } = context;
    const answer = plainAnswer(context);
    const mayChange = fields.visible(schema, 'update');
    const plan = this.lists.plan(transaction, writes);
    // Each operation must be checked and returned as if the later ones had not run.
    if (plan === null || plan.isSeenBy([...plan.rules, answer.visible, mayChange], answer.record)) return null;
    return attempt(transaction, async (inner) => {
      if (keys.length > 0) {
        await this.lock(inner, context, keys, mayChange, 'NO KEY UPDATE');
        const changes = writes.map((write, at) => ({ id: keys[at] ?? '', write }));
        await this.lists.update(inner, plan, changes);
      }
      const ids = keys.length > 0 ? keys : await this.lists.create(inner, plan, writes);
      await inner.judge.settle();
      return writtenRecords(inner, context, answer, ids);
    });
  }

  private async remove(
    transaction: WriteTransaction,
    context: SchemaContext,
    keys: readonly string[],
  ): Promise<readonly OperationResult[] | null> {
    const { schema, snapshot, fields } = context;
    const { isSimple, restricts, cascades, releases } = deletionRules(snapshot, schema, this.changes);
    if (!isSimple || restricts.length + cascades.length > 0) return null;
    const mayDelete = fields.visible(schema, 'delete');
    const changed = new Set([schema, ...releases.map(({ target }) => target)].map(({ table }) => table.name));
    if (looksOver(({ targetTable }) => changed.has(targetTable), [mayDelete])) return null;
    return attempt(transaction, async (inner) => {
      await this.lock(inner, context, keys, mayDelete, 'UPDATE');
      await this.remover.remove(inner, schema, keys);
      return keys.map(() => DELETED);
    });
  }

  private async lock(
    transaction: WriteTransaction,
    { schema }: SchemaContext,
    keys: readonly string[],
    may: Condition,
    strength: RecordLocks['strength'],
  ): Promise<void> {
    const where = allOf([hasKeyAmong(schema, keys), may]);
    const locked = await this.writer.lockAll(transaction, schema, where, keys.length, strength);
    const found = new Set(locked.map(({ id }) => id));
    if (!keys.every((key) => found.has(key))) throw new AppError('record_not_found');
  }
}

function keysIn({ schema, fields }: SchemaContext, operations: Given): readonly string[] | null {
  const { type } = fields.primary(schema);
  const keys = operations.flatMap(({ id }) => {
    const key = typeof id === 'string' || typeof id === 'number' ? keyValue(String(id), type) : undefined;
    return typeof key === 'string' ? [key] : [];
  });
  return new Set(keys).size === operations.length ? keys : null;
}

/** Returns null if the request is invalid. The caller then runs the operations one by one to locate the error. */
function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
