import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { WrittenRow } from '../answers.js';
import { unlessRefused } from './content-faults.js';
import type { SchemaContext } from '../content-context.service.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { deletionRules } from '../plan/deletion-rules.js';
import { reachesField } from '../plan/reaches-field.js';
import { hasKeyAmong, keyText, primaryOf, readsRecord } from '../resolve/sql-values.js';
import { type BatchOperation, type Result, withResults } from '../request/parse-batch.js';
import type { RecordLocks } from '../render/render-write.js';
import { allOf, type Condition } from '../resolve/conditions.js';
import type { RecordWrite } from '../resolve/writes/record-write.js';
import { attempt, type WriteTransaction } from './transaction/in-transaction.js';
import { RecordChanges } from './hooks/record-changes.service.js';
import { RecordLocking } from './record-locking.service.js';
import { RecordRemover } from './deletion/record-remover.service.js';
import { SetWriter } from './sets/set-writer.service.js';
import { planDefaultResponse, resolveBody, writtenRecords } from './written-record.js';

export type OperationResult = Pick<WrittenRow, 'item' | 'key'>;

export interface BatchRun {
  readonly op: BatchOperation['op'];
  readonly schema: LinkedSchema;
  readonly operations: readonly BatchOperation[];
}

type ResolvedOperations = readonly Pick<BatchOperation, 'id' | 'data'>[];

export const DELETED: OperationResult = { item: 'true', key: 'true' };

/**
 * Runs similar operations of a batch in bulk if the result equals running them one by one. Returns null if not possible or if an operation
 * fails; then all its changes are rolled back.
 */
@Injectable()
export class BatchRuns {
  constructor(
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
    private readonly remover: RecordRemover,
    private readonly changes: RecordChanges,
  ) {}

  async run(
    transaction: WriteTransaction,
    { op, schema, operations }: BatchRun,
    results: ReadonlyMap<string, Result>,
  ): Promise<readonly OperationResult[] | null> {
    if (operations.some(({ ifMatch }) => ifMatch !== null)) return null;
    if (operations.length === 1 || (op === 'update' && readsRecord(schema))) return null;
    const context = { ...transaction.context, schema };
    const resolved = unlessRefused(() =>
      operations.map(({ id, data }) => withResults({ id, data }, results) as ResolvedOperations[0]),
    );
    const keys = resolved && (op === 'create' ? [] : keysIn(context, resolved));
    if (resolved === null || keys === null) return null;
    if (op === 'delete') return this.remove(transaction, context, keys);
    const writes = unlessRefused(() => resolved.map(({ data }) => resolveBody(context, op, data)));
    return writes && this.write(transaction, context, writes, keys);
  }

  private async write(
    transaction: WriteTransaction,
    context: SchemaContext,
    writes: readonly RecordWrite[],
    keys: readonly string[],
  ): Promise<readonly OperationResult[] | null> {
    const answer = planDefaultResponse(context);
    const mayChange = context.fields.visible(context.schema, 'update');
    const entries = writes.map((write, at) => ({ id: keys[at] ?? null, write }));
    // Each operation must be checked and returned as if the later ones had not run.
    const reads = { conditions: [answer.visible, mayChange], record: answer.record };
    const ids = await this.writer.tryAll(transaction, entries, reads, async (inner) => {
      if (keys.length > 0) await this.lock(inner, context, keys, mayChange, 'NO KEY UPDATE');
    });
    return ids && writtenRecords(transaction, context, answer, ids);
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
    if (reachesField(({ targetTable }) => changed.has(targetTable), [mayDelete])) return null;
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
    const locked = await this.locking.lockAll(transaction, schema, where, keys.length, strength);
    const found = new Set(locked.map(({ id }) => id));
    if (!keys.every((key) => found.has(key))) throw new AppError('record_not_found');
  }
}

function keysIn({ schema }: SchemaContext, operations: ResolvedOperations): readonly string[] | null {
  const keys = operations.flatMap(({ id }) => keyText(id, primaryOf(schema)) ?? []);
  return new Set(keys).size === operations.length ? keys : null;
}
