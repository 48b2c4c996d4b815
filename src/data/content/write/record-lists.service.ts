import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { planSet, type SetPlan } from '../plan/plan-set.js';
import { planGuard } from '../plan/plan-write.js';
import { renderAmong } from '../render/render-write.js';
import type { RecordWrite } from '../resolve/writes/write.types.js';
import { generatedField, timeValue } from './generated-values.js';
import { run } from './in-transaction.js';
import { RecordChanges } from './record-changes.service.js';
import { createTree, groupsOf, referenceColumns, updateAll, type Values } from './record-tree.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Writes many records in bulk: one statement for each group of similar records and each relation. */
@Injectable()
export class RecordLists {
  constructor(private readonly changes: RecordChanges) {}

  /** Plans a bulk write of one schema. Returns null for a single record, or if the records must be written one by one. */
  plan(transaction: Pick<WriteTransaction, 'context'>, writes: readonly RecordWrite[]): SetPlan | null {
    const isMany = writes.length > 1 || writes.some(nestsAny);
    return isMany ? this.planAny(transaction, writes) : null;
  }

  planAny({ context }: Pick<WriteTransaction, 'context'>, writes: readonly RecordWrite[]): SetPlan | null {
    return planSet(writes, context.fields, this.changes);
  }

  /**
   * Creates records of one schema and returns their keys, in order.
   *
   * @throws AppError on any error, without its position.
   */
  async create(
    transaction: WriteTransaction,
    { referred }: SetPlan,
    writes: readonly RecordWrite[],
    preset: Values = new Map(),
  ): Promise<readonly string[]> {
    await assertThere(transaction, referred);
    return createTree(
      transaction,
      writes.map((write) => ({ write, preset })),
    );
  }

  /** Updates locked records by key. Throws the errors of {@link create}. */
  async update(
    transaction: WriteTransaction,
    { referred }: SetPlan,
    changes: readonly { readonly id: string; readonly write: RecordWrite }[],
  ): Promise<void> {
    const { judge, context } = transaction;
    await assertThere(transaction, referred);
    const rows = changes.map(({ id, write }) => {
      const updatedAt = generatedField(write.schema, 'updated_at');
      const values = new Map([...write.values, ...referenceColumns(write)]);
      if (updatedAt) values.set(updatedAt.column, timeValue(context.now));
      return { id, write, values };
    });
    for (const { write, rows: group } of groupsOf(rows)) {
      const { schema, rule } = write;
      const ids = group.map(({ id }) => id);
      await judge.now(rule, schema, ids);
      judge.later(rule, schema, ids);
      const [first] = group;
      if (first === undefined || first.values.size === 0) continue;
      const guard = planGuard(write, first.values, context.now);
      await updateAll(transaction, schema, group, guard);
    }
  }
}

function nestsAny({ references, links }: RecordWrite): boolean {
  const refs = [...references.map(({ ref }) => ref), ...links.flatMap(({ add }) => add)];
  return refs.some((ref) => ref?.kind === 'new');
}

async function assertThere(transaction: WriteTransaction, referred: SetPlan['referred']): Promise<void> {
  for (const { table, key, ids, where } of referred) {
    const each = [...new Set(ids.map(String))];
    const found = await run(transaction, renderAmong(table, key, each, where));
    if (found.length < each.length) throw new AppError('reference_not_found');
  }
}
