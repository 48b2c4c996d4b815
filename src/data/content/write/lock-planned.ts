import { LockPlan, type LockedWrite, type PlannedLock } from '../plan/plan-locks.js';
import { renderLocks } from '../render/render-locks.js';
import { run } from './in-transaction.js';
import type { WriteTransaction } from './write-transaction.types.js';

export async function lockPlanned(transaction: WriteTransaction, plan: LockPlan): Promise<void> {
  await takeTurns(transaction, plan);
  for (const lock of [...plan.first, ...plan.changes]) {
    transaction.lockedTables.add(lock.table);
    await run(transaction, renderLocks([lock]));
  }
}

/** Takes the advisory locks of a plan, in order. Its rows are locked later. */
export async function takeTurns(transaction: WriteTransaction, { turns }: Pick<LockPlan, 'turns'>): Promise<void> {
  if (turns.length > 0) await run(transaction, renderLocks(turns));
}

export async function lockWrites(transaction: WriteTransaction, writes: readonly LockedWrite[]): Promise<void> {
  const changed = writes.flatMap(({ ids }) => ids);
  const isBatch = changed.length > 1 || (changed.length > 0 && writes.length > 1);
  const plan = new LockPlan(isBatch);
  for (const one of writes) plan.add(one);
  if (plan.isSpread || changed.length > 0) await lockPlanned(transaction, plan);
}

/**
 * Takes the row locks that must precede the lock of the changed record.
 *
 * @returns locks that the statement of the record takes itself.
 */
export async function lockBefore(transaction: WriteTransaction, locked: LockedWrite): Promise<readonly PlannedLock[]> {
  const plan = LockPlan.of(locked);
  if (!isLockedAnyway(plan, locked)) {
    await lockPlanned(transaction, plan);
    return [];
  }
  // One statement must not lock a row twice, because its snapshot is older than the first lock.
  const rows = plan.first.flatMap((group) => {
    if (group.linked.length > 0) transaction.lockedTables.add(group.table);
    const ids = group.ids.filter((one) => String(one) !== String(locked.ids[0]));
    return ids.length === 0 ? [] : [{ ...group, ids }];
  });
  return [...plan.turns, ...rows];
}

/** Returns true if the statements of the write lock the changed rows in the planned order. */
function isLockedAnyway(plan: LockPlan, { write }: LockedWrite): boolean {
  const own = write.schema.table.name;
  // Rows must be locked before the first link is written.
  if (plan.isExclusive || plan.linkCount > 1 || (plan.linkCount > 0 && write.links.length > 1)) return false;
  return plan.changes.every(({ table, ids, linked }) =>
    table === own ? ids.length + linked.length === 1 : table > own,
  );
}
