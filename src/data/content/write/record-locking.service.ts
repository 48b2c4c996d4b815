import {
  allOf,
  ALWAYS,
  type Condition,
  deletedAtColumn,
  NEVER,
  ownColumn,
  type ContentAction,
} from '../resolve/conditions.js';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { deletionRules, type DeletionTurns } from '../plan/deletion-rules.js';
import { hasKey, keyOf } from '../resolve/sql-values.js';
import { LockPlan, type LockedWrite, type PlannedLock, type WriteTurn } from '../plan/plan-locks.js';
import { renderLocks, type RecordLocks, renderAmong, renderLocked } from '../render/render-write.js';
import type { RecordWrite } from '../resolve/writes/record-write.js';
import { type LockedRecord, run, type WriteTransaction } from './transaction/in-transaction.js';
import { plannedValues, RecordChanges } from './hooks/record-changes.service.js';
import type { WriteRequest } from './write-request.js';
import { acceptedVersions } from './written-record.js';

/** Locks the records of writes, in the common order (ADR 0112). */
@Injectable()
export class RecordLocking {
  constructor(private readonly changes: RecordChanges) {}

  /**
   * Locks the record of a request.
   *
   * @param write the change that follows. The records that it links are locked in one order with the record.
   * @throws AppError `record_not_found` if there is no record on which the principal may perform the action; `record_changed`.
   */
  async lock(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    { id, ifMatch }: Pick<WriteRequest, 'id' | 'ifMatch'>,
    action: ContentAction,
    write?: RecordWrite,
  ): Promise<LockedRecord> {
    const { fields } = transaction.context;
    const isRestored = action === 'restore';
    const byKey = hasKey(schema, id);
    const visible = fields.visible(schema, action, isRestored);
    const where = allOf([byKey ?? NEVER, visible, isRestored ? hasDeletedAt(schema) : ALWAYS]);
    if (where === NEVER) throw new AppError('record_not_found');
    const strength = action === 'delete' ? 'UPDATE' : 'NO KEY UPDATE';
    const turns = isRestored || action === 'delete' ? this.turnsOf(transaction, schema, action) : [];
    const first = write === undefined ? turns : await lockBefore(transaction, { write, ids: [id] });
    const [locked] = await this.lockAll(transaction, schema, where, 1, strength, first);
    if (locked === undefined) throw new AppError('record_not_found');
    if (acceptedVersions(ifMatch)?.includes(locked.version) === false) throw new AppError('record_changed');
    return locked;
  }

  /**
   * Selects and locks the records that match a condition, in key order.
   *
   * @param limit maximum number of records.
   * @param strength null to read without a lock.
   * @param first turns to take first; empty if rows of the records are already locked.
   */
  async lockAll(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    where: Condition,
    limit: number,
    strength: RecordLocks['strength'],
    first: readonly PlannedLock[] = this.turnsOfMany(transaction, schema, strength),
  ): Promise<readonly LockedRecord[]> {
    const plan = { table: schema.table.name, where, record: plannedValues(schema) };
    const statement = renderLocked(plan, keyOf(schema), limit, { strength, first });
    const rows = await run<{ item: string; version: string }>(transaction, statement);
    const locked = rows.map(({ item, version }): LockedRecord => {
      const values = JSON.parse(item) as Record<string, unknown>;
      return { id: String(values[schema.primaryField]), values, version };
    });
    if (strength === null) return locked;
    // Conditions on other tables may have changed while the statement waited for locks.
    const ids = locked.map(({ id }) => id);
    const found = await run<{ id: string }>(transaction, renderAmong(schema.table.name, keyOf(schema), ids, where));
    const matching = new Set(found.map(({ id }) => id));
    return locked.filter(({ id }) => matching.has(id));
  }

  turnsOfMany(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    strength: RecordLocks['strength'],
  ): readonly WriteTurn[] {
    if (strength === 'UPDATE') return this.turnsOf(transaction, schema, 'deleteMany');
    return strength === null ? [] : [{ turn: schema.table.name, isShared: true }];
  }

  private turnsOf(
    { context }: WriteTransaction,
    schema: LinkedSchema,
    action: keyof DeletionTurns,
  ): readonly WriteTurn[] {
    return deletionRules(context.snapshot, schema, this.changes).turns[action];
  }
}

function hasDeletedAt(schema: LinkedSchema): Condition {
  const column = deletedAtColumn(schema);
  return column === null ? NEVER : { kind: 'present', of: ownColumn(column) };
}

export async function lockPlanned(transaction: WriteTransaction, plan: LockPlan): Promise<void> {
  await acquireTurns(transaction, plan);
  for (const lock of [...plan.first, ...plan.changes]) {
    transaction.lockedTables.add(lock.table);
    await run(transaction, renderLocks([lock]));
  }
}

/** Takes the advisory locks of a plan, in order. Its rows are locked later. */
export async function acquireTurns(transaction: WriteTransaction, { turns }: Pick<LockPlan, 'turns'>): Promise<void> {
  if (turns.length > 0) await run(transaction, renderLocks(turns));
}

export async function lockWrites(transaction: WriteTransaction, writes: readonly LockedWrite[]): Promise<void> {
  const changed = writes.flatMap(({ ids }) => ids);
  const isBatch = changed.length > 1 || (changed.length > 0 && writes.length > 1);
  const plan = new LockPlan(isBatch);
  for (const one of writes) plan.add(one);
  if (plan.isSpread || changed.length > 0) await lockPlanned(transaction, plan);
}

export async function lockCreates(transaction: WriteTransaction, writes: readonly RecordWrite[]): Promise<void> {
  const created = writes.map((write) => ({ write, ids: [] }));
  await lockWrites(transaction, created);
}

/**
 * Takes the row locks that must precede the lock of the changed record.
 *
 * @returns locks that the statement of the record takes itself.
 */
async function lockBefore(transaction: WriteTransaction, locked: LockedWrite): Promise<readonly PlannedLock[]> {
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
