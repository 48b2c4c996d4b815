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

/** Writes new records of one schema, with columns that are preset in all of them; answers their keys. */
export type CreateNested = (
  transaction: WriteTransaction,
  writes: readonly RecordWrite[],
  preset?: ReadonlyMap<string, WrittenValue>,
) => Promise<readonly string[]>;

/**
 * Writes references and links of one record. Every record that is linked may be seen by whoever links it; one of which the
 * link is a part is judged by the rule of its own update, before and after.
 */
export class LinkWriter {
  constructor(
    private readonly transaction: WriteTransaction,
    private readonly changes: RecordChanges,
    private readonly create: CreateNested,
  ) {}

  /**
   * Returns the columns that hold the references of the record itself.
   *
   * @param id the record; null for one that is not there yet.
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

  /** Returns whether a record leads there already, where that makes a difference. */
  private async isHeld({ fits, column }: WrittenReference, schema: LinkedSchema, id: string | null, value: unknown) {
    return fits !== ALWAYS && id !== null && (await this.valueOf(schema, id, column)) === String(value);
  }

  /** Writes the links of a record that is there. */
  async links(links: readonly WrittenLinks[], schema: LinkedSchema, id: string): Promise<void> {
    for (const link of links) await this.link(link, schema, id);
  }

  /** Judges the change of a reference that is a part of the records that it leads to, and led to before. */
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
      // Pairs are added in one order, so that writes of both sides do not wait for each other.
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

  /** Returns what a write changes of links that are there. */
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
   * Returns the rows that a write names or that are linked. If rows of the table were locked before, in the common order, other requests
   * may have linked more meanwhile. To wait for those could be a deadlock, so rows that are locked keep the link that they hold. A link
   * in a junction is removed without a lock of the linked row.
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

  /**
   * Throws unless the field takes the files that are linked now; what is linked already stays. @throws AppError `field_invalid` for a
   * file that the field does not take.
   */
  private async assertFits(
    { field, target, fits, place }: WrittenReference | WrittenLinks,
    ids: readonly unknown[],
  ): Promise<void> {
    if (fits === ALWAYS || ids.length === 0) return;
    const found = await this.run(renderAmong(target.table.name, keyOf(target), ids, fits));
    if (found.length < ids.length) throw fieldInvalid(place, 'file_not_allowed');
    this.transaction.judge.rooms.linked(this.transaction.context.snapshot, field, ids);
  }

  /** Changes records by the link that they hold. */
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

  /** Judges records before and after. */
  private async judge(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key: KeyColumn): Promise<void> {
    await this.transaction.judge.now(rule, schema, ids, key);
    this.transaction.judge.later(rule, schema, ids, key);
  }

  /** Checks that a record is there; one that may not be seen is as if it were not there. */
  private async assertThere(target: LinkedSchema, id: unknown, where: Condition, place: string): Promise<void> {
    const found = await this.run(renderAmong(target.table.name, keyOf(target), [id], where));
    if (found.length === 0) throw referenceNotFound(place);
  }

  private seen(target: LinkedSchema, action: 'get' | 'list'): Condition {
    return this.transaction.context.fields.linkable(target, action);
  }

  /** Returns what a foreign key to the record holds: its key, or the field that the relation names. */
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

/** Returns the keys of records in the order in which they are named, those of new ones in their places. */
function keysInOrder(refs: readonly RecordRef[], made: readonly string[]): readonly unknown[] {
  const keys = made.values();
  return refs.map((ref) => (ref.kind === 'id' ? ref.value : keys.next().value));
}

/** Returns a column by which other records refer to the records of a schema. */
function columnKey(schema: LinkedSchema, column: string): KeyColumn {
  const key = keyOf(schema);
  if (column === key.column) return key;
  const field = Object.values(schema.fields).find((entry) => entry.kind === 'value' && entry.column === column);
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no column ${column}.`);
  return { column, sqlType: comparedAs(field.type) };
}

/** Returns a rule that also holds of deleted records, which nobody changes: a link to one is kept, and is none. */
export function unlessDeleted(rule: Condition, schema: LinkedSchema): Condition {
  return rule === ALWAYS ? rule : anyOf([rule, complementOf(isLive(schema))]);
}
