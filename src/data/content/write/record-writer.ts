import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { findViolatedUnique } from '../../../platform/database/database.public.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { hasKey } from '../plan/plan-list.js';
import { deletionRules, type DeletionTurns } from '../plan/deletion-rules.js';
import type { WriteTurn } from '../plan/plan-locks.js';
import { planGuard, planUnwritten } from '../plan/plan-write.js';
import type { RowGuard } from '../plan/write-plan.types.js';
import { renderWouldHold, type UnwrittenRows } from '../render/render-would-hold.js';
import { type RecordLocks, renderAmong, renderInsert, renderLocked, renderUpdate } from '../render/render-write.js';
import { allOf, deletedAtColumn } from '../resolve/conditions.js';
import { ALWAYS, type Condition, type ContentAction, NEVER } from '../resolve/resolved.types.js';
import type { RecordWrite, WrittenValue } from '../resolve/writes/write.types.js';
import { generatedField, generatedValues, timeValue } from './generated-values.js';
import { keyOf } from '../resolve/key-of.js';
import { toPlacedFault } from './content-faults.js';
import { attempt, inSavepoint, run } from './in-transaction.js';
import { type CreateNested, LinkWriter } from './link-writer.js';
import { lockBefore, lockWrites } from './lock-planned.js';
import { plannedValues, RecordChanges } from './record-changes.service.js';
import { RecordLists } from './record-lists.service.js';
import type { WriteTransaction, LockedRecord } from './write-transaction.types.js';

@Injectable()
export class RecordWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly lists: RecordLists,
  ) {}

  /**
   * Creates records of one schema and returns their keys, in order. Uses bulk statements if the result is the same.
   *
   * @throws AppError `permission_denied` if a record does not match the rule.
   */
  async create(transaction: WriteTransaction, writes: readonly RecordWrite[]): Promise<readonly string[]> {
    await lockWrites(
      transaction,
      writes.map((write) => ({ write, ids: [] })),
    );
    return this.nest(transaction, writes);
  }

  private readonly nest: CreateNested = async (transaction, writes, preset) => {
    const plan = this.lists.plan(transaction, writes);
    if (plan === null) return this.oneByOne(this.nest, transaction, writes, preset);
    const made = await attempt(transaction, (inner) => this.lists.create(inner, plan, writes, preset));
    return made ?? this.createEach(transaction, writes, preset);
  };

  /** Creates records one by one, so that an error has the position of its record. */
  private readonly createEach: CreateNested = (transaction, writes, preset) =>
    this.oneByOne(this.createEach, transaction, writes, preset);

  private async oneByOne(
    nest: CreateNested,
    transaction: WriteTransaction,
    writes: readonly RecordWrite[],
    preset: ReadonlyMap<string, WrittenValue> = new Map(),
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const write of writes) {
      const records = () => [{ id: null, before: null, write }];
      const work = () => this.insert(new LinkWriter(transaction, this.changes, nest), transaction, write, preset);
      const change = { schema: write.schema, operation: 'create', records } as const;
      ids.push(...(await this.changes.pass(transaction, change, work)));
    }
    return ids;
  }

  private async insert(
    links: LinkWriter,
    transaction: WriteTransaction,
    write: RecordWrite,
    preset: ReadonlyMap<string, WrittenValue>,
  ): Promise<readonly string[]> {
    const { schema } = write;
    const { now } = transaction.context;
    const values = new Map([...generatedValues(schema, now), ...write.values, ...preset]);
    for (const [column, value] of await links.references(write.references, schema, null)) values.set(column, value);
    const guard = planGuard(write, values, now);
    const insert = () => run<{ id: string }>(transaction, renderInsert(schema, values, keyOf(schema), guard));
    const [row] = await placed(transaction, write, () =>
      judgedFirst(transaction, { write, values, ids: null }, guard, insert),
    );
    if (row === undefined) throw new AppError('permission_denied');
    await links.links(write.links, schema, row.id);
    transaction.judge.later(write.rule, schema, [row.id]);
    return [row.id];
  }

  /** Updates a locked record. Throws `permission_denied` if the rule does not match before and after the change. */
  async update(transaction: WriteTransaction, write: RecordWrite, locked: LockedRecord): Promise<void> {
    const { schema } = write;
    const { id } = locked;
    const { judge } = transaction;
    await judge.now(write.rule, schema, [id]);
    const records = () => [{ id, before: locked.values, write }];
    await this.changes.pass(transaction, { schema, operation: 'update', records }, async () => {
      const links = new LinkWriter(transaction, this.changes, this.nest);
      const values = new Map(write.values);
      for (const [column, value] of await links.references(write.references, schema, id)) values.set(column, value);
      await change(transaction, write, values, [id]);
      await links.links(write.links, schema, id);
      judge.later(write.rule, schema, [id]);
      return [id];
    });
  }

  /**
   * Updates only values, the same for all locked records. Hooks do not run here, because they could change records individually.
   *
   * @throws AppError `permission_denied` if a record does not match the rule before and after the change.
   */
  async updateAlike(transaction: WriteTransaction, write: RecordWrite, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await transaction.judge.now(write.rule, write.schema, ids);
    await change(transaction, write, new Map(write.values), ids);
    transaction.judge.later(write.rule, write.schema, ids);
  }

  /**
   * Locks a record by key. Returns null if there is none on which the principal may perform the action.
   *
   * @param write the change that follows. The records that it links are locked in one order with the record.
   */
  async lock(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    id: string,
    action: ContentAction,
    write?: RecordWrite,
  ): Promise<LockedRecord | null> {
    const { fields } = transaction.context;
    const byKey = hasKey(schema, id, fields);
    if (byKey === null) return null;
    const isRestored = action === 'restore';
    const visible = fields.visible(schema, action, isRestored);
    const where = allOf([byKey, visible, isRestored ? hasDeletedAt(schema) : ALWAYS]);
    if (where === NEVER) return null;
    const strength = action === 'delete' ? 'UPDATE' : 'NO KEY UPDATE';
    const turns = isRestored || action === 'delete' ? this.turnsOf(transaction, schema, action) : [];
    const first = write === undefined ? turns : await lockBefore(transaction, { write, ids: [id] });
    const [locked] = await this.lockFound(transaction, schema, where, 1, { strength, first });
    return locked ?? null;
  }

  turnsOf({ context }: WriteTransaction, schema: LinkedSchema, action: keyof DeletionTurns): readonly WriteTurn[] {
    return deletionRules(context.snapshot, schema, this.changes).turns[action];
  }

  /**
   * Selects and locks the records that match a condition, in key order.
   *
   * @param most maximum number of records.
   * @param strength null to read without a lock.
   * @param first turns to take first; empty if rows of the records are already locked.
   */
  async lockAll(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    where: Condition,
    most: number,
    strength: RecordLocks['strength'],
    first: readonly WriteTurn[] = this.turnsOfMany(transaction, schema, strength),
  ): Promise<readonly LockedRecord[]> {
    return this.lockFound(transaction, schema, where, most, { strength, first });
  }

  turnsOfMany(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    strength: RecordLocks['strength'],
  ): readonly WriteTurn[] {
    if (strength === 'UPDATE') return this.turnsOf(transaction, schema, 'deleteMany');
    return strength === null ? [] : [{ turn: schema.table.name, isShared: true }];
  }

  private async lockFound(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    where: Condition,
    most: number,
    locks: RecordLocks,
  ): Promise<readonly LockedRecord[]> {
    const plan = { table: schema.table.name, where, record: plannedValues(schema) };
    const rows = await run<{ item: string; version: string }>(
      transaction,
      renderLocked(plan, keyOf(schema), most, locks),
    );
    const locked = rows.map(({ item, version }): LockedRecord => {
      const values = JSON.parse(item) as Record<string, unknown>;
      return { id: String(values[schema.primaryField]), values, version };
    });
    if (locks.strength === null) return locked;
    // Conditions on other tables may have changed while the statement waited for locks.
    const ids = locked.map(({ id }) => id);
    const found = await run<{ id: string }>(transaction, renderAmong(schema.table.name, keyOf(schema), ids, where));
    const holding = new Set(found.map(({ id }) => id));
    return locked.filter(({ id }) => holding.has(id));
  }
}

async function change(
  transaction: WriteTransaction,
  write: RecordWrite,
  values: Map<string, WrittenValue>,
  ids: readonly string[],
): Promise<void> {
  const { schema } = write;
  const { now } = transaction.context;
  const updatedAt = generatedField(schema, 'updated_at');
  if (updatedAt) values.set(updatedAt.column, timeValue(now));
  if (values.size === 0) return;
  const guard = planGuard(write, values, now);
  const update = () => run(transaction, renderUpdate(schema.table.name, values, keyOf(schema), ids, guard));
  const changed = await placed(transaction, write, () =>
    judgedFirst(transaction, { write, values, ids }, guard, update),
  );
  if (changed.length < ids.length) throw new AppError('permission_denied');
}

/**
 * Runs the statement of a write whose rule can only be checked afterwards. A unique violation is reported only if the rule would match, so
 * that it does not reveal other records. Nested records are not considered.
 *
 * @throws AppError `permission_denied` for a unique violation if the rule would not match.
 */
async function judgedFirst<Row>(
  transaction: WriteTransaction,
  rows: UnwrittenRows,
  guard: RowGuard | null,
  work: () => Promise<Row[]>,
): Promise<Row[]> {
  const { write, ids } = rows;
  if (guard !== null || write.rule === ALWAYS) return work();
  return inSavepoint(transaction, work, async (error) => {
    if (findViolatedUnique(error) === null) throw error;
    const values = planUnwritten(write, rows.values, transaction.context.now);
    const held = await run(transaction, renderWouldHold({ ...rows, values }));
    if (held.length === (ids?.length ?? 1)) throw error;
    throw new AppError('permission_denied', { cause: error });
  });
}

/** Adds the path of the record in the body to constraint violations. */
async function placed<T>({ context }: WriteTransaction, { place }: RecordWrite, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toPlacedFault(error, context, place);
  }
}

function hasDeletedAt(schema: LinkedSchema): Condition {
  const column = deletedAtColumn(schema);
  if (column === null) return NEVER;
  return { kind: 'present', of: { kind: 'column', column, guard: null } };
}
