import { AppError } from '../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { type LinkedRow, type LinkSearch, renderLink, renderLinked, renderUnlink } from '../render/render-links.js';
import { renderAmong, renderUpdate, renderValue } from '../render/render-write.js';
import { anyOf, complementOf, isLive } from '../resolve/conditions.js';
import { keyOf, keysOf, newOf } from '../resolve/key-of.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import { comparedAs } from '../resolve/sql-value.js';
import { fieldInvalid } from '../resolve/writes/write-faults.js';
import type {
  KeyColumn,
  RecordRef,
  RecordWrite,
  WrittenLinks,
  WrittenReference,
  WrittenValue,
} from '../resolve/writes/write.types.js';
import { generatedField, timeValue } from './generated-values.js';
import { nothingGiven, type RecordChanges } from './record-changes.service.js';
import { changeOf, type LinkChange, referenceNotFound } from './link-change.js';
import { run } from './in-transaction.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Creates records of one schema with preset columns, and returns their keys. */
export type CreateNested = (
  transaction: WriteTransaction,
  writes: readonly RecordWrite[],
  preset?: ReadonlyMap<string, WrittenValue>,
) => Promise<readonly string[]>;

/**
 * Writes references and links of one record. Every linked record must be visible to the caller. If a link belongs to the linked record,
 * that record's update rule is checked before and after.
 */
export class LinkWriter {
  constructor(
    private readonly transaction: WriteTransaction,
    private readonly changes: RecordChanges,
    private readonly create: CreateNested,
  ) {}

  /**
   * Returns the foreign key columns of the record.
   *
   * @param id the record; null for a new one.
   */
  async references(
    references: readonly WrittenReference[],
    schema: LinkedSchema,
    id: string | null,
  ): Promise<ReadonlyMap<string, WrittenValue>> {
    const values = new Map<string, WrittenValue>();
    for (const reference of references) {
      const { ref, target, column, place, field } = reference;
      const referred = columnKey(target, field.join.targetColumn);
      if (ref?.kind === 'id') await this.assertThere(target, ref.value, this.seen(target, 'get'), place);
      if (ref?.kind === 'id' && !(await this.isHeld(reference, schema, id, ref.value)))
        await this.assertFits(reference, [ref.value]);
      const key = ref?.kind === 'new' ? (await this.create(this.transaction, [ref.write]))[0] : (ref?.value ?? null);
      const value =
        key == null ? { value: null, sqlType: referred.sqlType } : await this.valueIn(target, referred, key);
      if (reference.touch !== ALWAYS || reference.isFixed) await this.relink(reference, schema, id, value);
      values.set(column, value);
    }
    return values;
  }

  /** Returns true if the record already has this reference. Only relevant for fields that accept certain files. */
  private async isHeld({ fits, column }: WrittenReference, schema: LinkedSchema, id: string | null, value: unknown) {
    return fits !== ALWAYS && id !== null && (await this.valueOf(schema, id, column)) === String(value);
  }

  async links(links: readonly WrittenLinks[], schema: LinkedSchema, id: string): Promise<void> {
    for (const link of links) await this.link(link, schema, id);
  }

  /** Checks the change of a reference that belongs to its target, for the old and the new target. */
  private async relink(
    { ref, target, column, place, field, touch, isFixed }: WrittenReference,
    schema: LinkedSchema,
    id: string | null,
    { value }: WrittenValue,
  ): Promise<void> {
    const before = id === null ? null : await this.valueOf(schema, id, column);
    if ((before === null) === (value === null) && String(before) === String(value)) return;
    const isKnown = ref?.kind === 'id';
    if (isFixed && (isKnown || before !== null)) throw fieldInvalid(place, 'immutable');
    if (isKnown) await this.assertThere(target, ref.value, touch, place);
    const referred = columnKey(target, field.join.targetColumn);
    const changed = [before, isKnown ? value : null].filter((one) => one !== null);
    await this.judge(unlessDeleted(touch, target), target, changed, referred);
  }

  private async link(link: WrittenLinks, schema: LinkedSchema, id: string): Promise<void> {
    const { target, field } = link;
    const { join } = field;
    const key = keyOf(target);
    const own = await this.valueIn(schema, columnKey(schema, join.ownColumn), id);
    const change = await this.change(link, own);
    const { judge } = this.transaction;
    const nested = newOf(link.add);
    if (join.kind === 'junction') {
      const made = nested.length === 0 ? [] : await this.create(this.transaction, nested);
      const keys = keysInOrder(link.add, made);
      // Junction rows are inserted in a fixed order, so that writes from both sides do not deadlock.
      const added = join.junctionOrderColumn === undefined ? keys.map(String).sort() : keys;
      const others = (value: readonly unknown[]) => ({ value, sqlType: key.sqlType });
      if (change.removed.length > 0) await this.run(renderUnlink(join, own, others(change.removed)));
      if (added.length > 0) await this.run(renderLink(join, own, others(added), link.replaces));
      judge.later(link.touch, target, [...change.added, ...change.removed]);
      return;
    }
    await this.judge(unlessDeleted(link.ownTouch, schema), schema, change.left, columnKey(schema, join.ownColumn));
    await this.hold(link, change.removed, { ...own, value: null });
    await this.hold(link, change.added, own);
    judge.later(link.touch, target, [...change.added, ...change.removed]);
    if (nested.length > 0) await this.create(this.transaction, nested, new Map([[join.targetColumn, own]]));
  }

  private async change(link: WrittenLinks, own: WrittenValue): Promise<LinkChange> {
    const { target, field, add, remove, replaces, touch } = link;
    const named = [...keysOf(add), ...remove];
    if (named.length === 0 && !replaces) return { added: [], removed: [], left: [] };
    const rows = await this.linked({
      join: field.join,
      key: keyOf(target),
      own,
      named,
      all: replaces,
      live: isLive(target),
      seen: this.seen(target, field.many ? 'list' : 'get'),
      touch,
    });
    const change = changeOf(link, rows);
    await this.assertFits(link, change.added);
    return change;
  }

  /**
   * Returns the named and linked rows. If rows of the table were locked earlier in the common order, other requests may have linked more
   * rows since. Waiting for these could deadlock, so rows locked by others keep their link. A junction row is deleted without locking the
   * linked record.
   */
  private async linked(search: LinkSearch): Promise<readonly LinkedRow[]> {
    const { all, join, touch } = search;
    const isFree = join.kind === 'junction' && touch === ALWAYS;
    const wasLocked = join.kind === 'direct' && this.transaction.lockedTables.has(join.targetTable);
    if (!all || !(isFree || wasLocked)) return this.run<LinkedRow>(renderLinked(search));
    const named = await this.run<LinkedRow>(renderLinked({ ...search, all: false }));
    const found = await this.run<LinkedRow>(renderLinked({ ...search, named: [], locks: isFree ? 'none' : 'free' }));
    const ids = new Set(named.map(({ id }) => id));
    return [...named, ...found.filter(({ id }) => !ids.has(id))];
  }

  /** @throws AppError `field_invalid` for a newly linked file that the field does not accept. Existing links are not checked. */
  private async assertFits(
    { field, target, fits, place }: WrittenReference | WrittenLinks,
    ids: readonly unknown[],
  ): Promise<void> {
    if (fits === ALWAYS || ids.length === 0) return;
    const found = await this.run(renderAmong(target.table.name, keyOf(target), ids, fits));
    if (found.length < ids.length) throw fieldInvalid(place, 'file_not_allowed');
    this.transaction.judge.rooms.linked(this.transaction.context.snapshot, field, ids);
  }

  private async hold({ target, field }: WrittenLinks, ids: readonly string[], link: WrittenValue): Promise<void> {
    if (ids.length === 0) return;
    const updatedAt = generatedField(target, 'updated_at');
    const values = new Map([[field.join.targetColumn, link]]);
    if (updatedAt) values.set(updatedAt.column, timeValue(this.transaction.context.now));
    const held = ids.map((id) => ({ id, write: nothingGiven([field.backField]) }));
    const change = { schema: target, operation: 'update', records: () => held } as const;
    await this.changes.pass(this.transaction, change, async () => {
      const together = held.filter(({ write }) => write.values.size === 0).map(({ id }) => id);
      if (together.length > 0) await this.run(renderUpdate(target.table.name, values, keyOf(target), together));
      for (const { id, write } of held)
        if (write.values.size > 0)
          await this.run(renderUpdate(target.table.name, new Map([...write.values, ...values]), keyOf(target), [id]));
      return ids;
    });
  }

  private async judge(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key: KeyColumn): Promise<void> {
    await this.transaction.judge.now(rule, schema, ids, key);
    this.transaction.judge.later(rule, schema, ids, key);
  }

  private async assertThere(target: LinkedSchema, id: unknown, where: Condition, place: string): Promise<void> {
    const found = await this.run(renderAmong(target.table.name, keyOf(target), [id], where));
    if (found.length === 0) throw referenceNotFound(place);
  }

  private seen(target: LinkedSchema, action: 'get' | 'list'): Condition {
    return this.transaction.context.fields.linkable(target, action);
  }

  /** Returns the value of a foreign key to the record: its key, or another unique field. */
  private async valueIn(schema: LinkedSchema, { column, sqlType }: KeyColumn, id: unknown): Promise<WrittenValue> {
    if (column === keyOf(schema).column) return { value: id, sqlType };
    const value = await this.valueOf(schema, id, column);
    if (value === null) throw new AppError('record_not_found');
    return { value, sqlType };
  }

  private async valueOf(schema: LinkedSchema, id: unknown, column: string): Promise<string | null> {
    const [row] = await this.run<{ value: string | null }>(renderValue(schema.table.name, keyOf(schema), id, column));
    return row?.value ?? null;
  }

  private run<Row>(statement: Parameters<typeof run>[1]): Promise<Row[]> {
    return run<Row>(this.transaction, statement);
  }
}

function keysInOrder(refs: readonly RecordRef[], made: readonly string[]): readonly unknown[] {
  const keys = made.values();
  return refs.map((ref) => (ref.kind === 'id' ? ref.value : keys.next().value));
}

function columnKey(schema: LinkedSchema, column: string): KeyColumn {
  const key = keyOf(schema);
  if (column === key.column) return key;
  const field = Object.values(schema.fields).find((entry) => entry.kind === 'value' && entry.column === column);
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no column ${column}.`);
  return { column, sqlType: comparedAs(field.type) };
}

/** Extends a rule to deleted records. They cannot be changed, so links to them are kept without a check. */
export function unlessDeleted(rule: Condition, schema: LinkedSchema): Condition {
  return rule === ALWAYS ? rule : anyOf([rule, complementOf(isLive(schema))]);
}
