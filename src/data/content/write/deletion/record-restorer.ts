import { AppError } from '../../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { deletionRules, type Dependency } from '../../plan/deletion-rules.js';
import { type AnchorRow, renderAnchors, renderFallen } from '../../render/render-deletion.js';
import { isNameable } from '../../resolve/content-access.js';
import { referenceFault } from '../../resolve/writes/write-faults.js';
import { run, type WriteTransaction } from '../transaction/in-transaction.js';
import { emptyWrite, type RecordChanges } from '../hooks/record-changes.service.js';
import { RecordSet, setDeletedAt } from './record-remover.service.js';

interface DeadAnchor extends Pick<Dependency, 'field' | 'target'> {
  readonly schema: LinkedSchema;
  readonly id: string;
  readonly anchor: string;
}

/**
 * Restores a locked record and the records deleted along with it.
 *
 * Restored file links count against quotas again; `quota_exceeded` is thrown at the end of the transaction.
 *
 * @throws AppError `reference_not_found` if it has a required reference to a deleted record.
 */
export async function restoreRecord(
  changes: RecordChanges,
  transaction: WriteTransaction,
  schema: LinkedSchema,
  id: string,
): Promise<void> {
  const set = await fallenWith(changes, transaction, schema, id);
  const dead = await deadAnchors(changes, transaction, set);
  for (let loose = looseIn(set, dead); loose.length > 0; loose = looseIn(set, dead)) {
    const own = loose.filter((one) => one.schema.name === schema.name && one.id === id);
    if (own.length > 0) throw unanchored(transaction, own);
    for (const one of loose) set.drop(one.schema, one.id);
  }
  for (const group of set.all) {
    const records = () => group.ids.map((one) => ({ id: one, write: emptyWrite() }));
    await changes.withHooks(transaction, { schema: group.schema, operation: 'restore', records }, async () => {
      await setDeletedAt(transaction, group, null);
      transaction.ruleChecks.fileQuotas.restored(transaction.context.snapshot, group.schema, group.ids);
      return group.ids;
    });
  }
}

async function fallenWith(
  changes: RecordChanges,
  transaction: WriteTransaction,
  schema: LinkedSchema,
  id: string,
): Promise<RecordSet> {
  const set = new RecordSet();
  const queue = [set.add(schema, false, [id])];
  for (let group = queue.shift(); group !== undefined; group = queue.shift())
    for (const dependency of deletionRules(transaction.context.snapshot, group.schema, changes).cascades) {
      if (!dependency.target.softDelete) continue;
      const rows = await run<{ id: string }>(transaction, renderFallen(dependency, group));
      const ids = rows.map((row) => row.id);
      const found = set.add(dependency.target, false, ids);
      if (found.ids.length > 0) queue.push(found);
    }
  return set;
}

async function deadAnchors(
  changes: RecordChanges,
  transaction: WriteTransaction,
  set: RecordSet,
): Promise<readonly DeadAnchor[]> {
  const dead: DeadAnchor[] = [];
  for (const group of set.all)
    for (const dependency of deletionRules(transaction.context.snapshot, group.schema, changes).anchors) {
      const rows = await run<AnchorRow>(transaction, renderAnchors(dependency, group));
      for (const { id, anchor, live } of rows)
        if (!live) dead.push({ ...dependency, schema: group.schema, id, anchor });
    }
  return dead;
}

function looseIn(set: RecordSet, dead: readonly DeadAnchor[]): readonly DeadAnchor[] {
  return dead.filter(({ schema, id, target, anchor }) => set.has(schema, id) && !set.has(target, anchor));
}

function unanchored({ context }: WriteTransaction, dead: readonly DeadAnchor[]): AppError {
  const named = dead.filter(({ schema, field }) => isNameable(schema, field.name, context.access));
  const errors = named.map(({ field: { name } }) => referenceFault(name));
  return new AppError('reference_not_found', { details: errors.length === 0 ? {} : { errors } });
}
