import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { deletionRules } from '../plan/deletion-rules.js';
import { type DependentRow, renderDependents, renderRestricting } from '../render/render-deletion.js';
import { renderDelete, renderUpdate } from '../render/render-write.js';
import { deletedAtColumn } from '../resolve/conditions.js';
import { keyOf } from '../resolve/key-of.js';
import { timeValue } from './generated-values.js';
import { run } from './in-transaction.js';
import { type RecordGroup, RecordSet } from './record-set.js';
import { SystemRecords } from './system-records.service.js';
import type { WriteTransaction } from './write-transaction.types.js';

/**
 * Deletes records with what `on_delete` says of others. A deletion that can be taken back is one that the database knows
 * nothing of; one for good it sees to by itself, but for accounts, roles and permissions, which are followed up.
 */
@Injectable()
export class RecordRemover {
  constructor(private readonly system: SystemRecords) {}

  /**
   * Deletes locked records, together.
   *
   * @throws AppError `record_in_use` where others keep them from it; `last_root_account`, `permission_denied`.
   */
  async remove(transaction: WriteTransaction, schema: LinkedSchema, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { set, at } = await this.falling(transaction, schema, ids);
    const forGood = set.all.filter((group) => group.forGood);
    const reversible = set.all.filter((group) => !group.forGood);
    for (const group of reversible) await this.assertFree(transaction, group, set);
    for (const group of forGood)
      for (const id of group.ids) await this.system.beforeDelete(transaction, group.schema, id);
    for (const { schema: one, ids: own } of forGood)
      await run(transaction, renderDelete(one.table.name, keyOf(one), own));
    for (const group of reversible) await setDeletedAt(transaction, group, at);
    for (const group of forGood) await this.system.afterDelete(transaction, group.schema);
  }

  /** All records that go with these, and a time at which none that depends on them went before. */
  private async falling(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    roots: readonly string[],
  ): Promise<{ readonly set: RecordSet; readonly at: Date }> {
    for (let at = transaction.context.now; ; at = new Date(at.getTime() + 1)) {
      const set = new RecordSet();
      const queue = [set.add(schema, !schema.softDelete, roots)];
      let isTaken = false;
      for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
        const next = await this.dependents(transaction, group, at, set);
        isTaken ||= next.isTaken;
        queue.push(...next.groups);
      }
      // What goes together comes back together, and is told by the time.
      if (!isTaken) return { set, at };
    }
  }

  /** The records that go with a group, and whether some of them went at that time before. */
  private async dependents(
    transaction: WriteTransaction,
    group: RecordGroup,
    at: Date,
    set: RecordSet,
  ): Promise<{ readonly groups: readonly RecordGroup[]; readonly isTaken: boolean }> {
    const { snapshot } = transaction.context;
    const groups: RecordGroup[] = [];
    let isTaken = false;
    for (const dependency of deletionRules(snapshot, group.schema).cascades) {
      const { target } = dependency;
      if (group.forGood && !deletionRules(snapshot, target).reachesFollowed) continue;
      const forGood = group.forGood || !target.softDelete;
      const statement = renderDependents(dependency, group.schema, group.ids, forGood ? null : at);
      const rows = await run<DependentRow>(transaction, statement);
      isTaken ||= !forGood && rows.some(({ gone }) => gone);
      const found = set.add(
        target,
        forGood,
        rows.map(({ id }) => id),
      );
      if (found.ids.length > 0) groups.push(found);
    }
    return { groups, isTaken };
  }

  private async assertFree(transaction: WriteTransaction, { schema, ids }: RecordGroup, set: RecordSet): Promise<void> {
    for (const dependency of deletionRules(transaction.context.snapshot, schema).restricts) {
      const statement = renderRestricting(dependency, schema, ids, set.of(dependency.target));
      if ((await run(transaction, statement)).length > 0) throw new AppError('record_in_use');
    }
  }
}

/** Sets the time at which records were deleted; null takes it back. */
export async function setDeletedAt(
  transaction: WriteTransaction,
  { schema, ids }: RecordGroup,
  at: Date | null,
): Promise<void> {
  const column = deletedAtColumn(schema);
  if (column === null || ids.length === 0) return;
  const value = at === null ? { value: null, sqlType: 'timestamptz' } : timeValue(at);
  await run(transaction, renderUpdate(schema.table.name, new Map([[column, value]]), keyOf(schema), ids));
}
