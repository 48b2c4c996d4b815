import { AppError } from '../../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { type LinkedRow, type LinkSearch, renderLinked, renderPairs, renderUnlink } from '../../render/render-links.js';
import { renderAmong, renderUpdate, renderValues } from '../../render/render-write.js';
import { ALWAYS, anyOf, complementOf, type Condition, isLive } from '../../resolve/conditions.js';
import { columnKey, type KeyColumn, keyOf, updatedAtOf, type WrittenValue } from '../../resolve/sql-values.js';
import { keysInOrder, keysOf, type WrittenLinks, type WrittenReference } from '../../resolve/writes/record-write.js';
import { fieldInvalid, referenceNotFound } from '../../resolve/writes/write-faults.js';
import { run, type WriteTransaction } from '../transaction/in-transaction.js';
import { changeOf, type LinkChange } from './link-change.js';
import { emptyWrite, type RecordChanges } from '../hooks/record-changes.service.js';
import { groupsOf, newEntries, type Part, type Parts, partsOf, type SetEntry, type Values } from './set-rows.js';

interface LinkScope {
  readonly transaction: WriteTransaction;
  readonly changes: RecordChanges;
  /** True if the set was planned. The records that it refers to are then checked before the set is written. */
  readonly isPlanned: boolean;
  /** Creates nested records and returns their keys, in order. */
  readonly create: (entries: readonly SetEntry[]) => Promise<readonly string[]>;
}

/**
 * Writes the references and links of a set of records, field by field. Every linked record must be visible to the caller. If a link belongs
 * to the linked record, that record's update rule is checked before and after.
 */
export class LinkWriter {
  constructor(private readonly scope: LinkScope) {}

  /** Returns the foreign key columns of each record. */
  async references(schema: LinkedSchema, entries: readonly SetEntry[]): Promise<readonly Values[]> {
    const columns = entries.map(() => new Map<string, WrittenValue>());
    const ids = entries.map(({ id }) => id);
    for (const parts of partsOf(entries, ids, ({ references }) => references)) {
      const values = await this.reference(schema, parts);
      for (const [index, { at, of }] of parts.entries()) columns[at]?.set(of.column, values[index] as WrittenValue);
    }
    return columns;
  }

  /** @param ids keys of the written records, in order. */
  async links(schema: LinkedSchema, entries: readonly SetEntry[], ids: readonly string[]): Promise<void> {
    const isNew = entries[0]?.id === null;
    for (const parts of partsOf(entries, ids, ({ links }) => links)) await this.link(schema, parts, isNew);
  }

  private async reference(schema: LinkedSchema, parts: Parts<WrittenReference>): Promise<readonly WrittenValue[]> {
    const [{ of: first }] = parts;
    const { target, location, field, column, touch, fits, isFixed } = first;
    const refs = parts.map(({ of }) => of.ref);
    await this.assertExists(target, keysOf(refs), this.seen(target, 'get'), location);
    const isOwned = touch !== ALWAYS || isFixed;
    const changed = isOwned || fits !== ALWAYS ? parts.flatMap(({ id }) => id ?? []) : [];
    const before = await this.valuesOf(schema, changed, column);
    const isUnchanged = ({ id, of: { ref } }: Part<WrittenReference>): boolean =>
      ref?.kind === 'id' && before.get(id) === String(ref.value);
    await this.assertFits(first, keysOf(parts.map((part) => (isUnchanged(part) ? null : part.of.ref))));
    const created = await this.scope.create(newEntries(refs));
    const referred = columnKey(target, field.join.targetColumn);
    const values = await this.valuesIn(target, referred, keysInOrder(refs, created.values()));
    if (isOwned) await this.relink(parts, values, before);
    return values;
  }

  /** Checks the changes of a reference that belongs to its target, for the old and the new targets. */
  private async relink(
    parts: Parts<WrittenReference>,
    values: readonly WrittenValue[],
    before: ReadonlyMap<string | null, string | null>,
  ): Promise<void> {
    const { target, location, field, touch, isFixed } = parts[0].of;
    const changed = parts.flatMap(({ id, of: { ref } }, at) => {
      const old = before.get(id) ?? null;
      const value: unknown = values[at]?.value ?? null;
      const isSame = (old === null) === (value === null) && String(old) === String(value);
      return isSame ? [] : [{ ref, old, value }];
    });
    const existing = changed.filter(({ ref }) => ref?.kind === 'id');
    const touched = [...changed.flatMap(({ old }) => old ?? []), ...existing.map(({ value }) => value)];
    if (isFixed && touched.length > 0) throw fieldInvalid(location, 'immutable');
    await this.assertExists(target, keysOf(existing.map(({ ref }) => ref)), touch, location);
    const rule = unlessDeleted(touch, target);
    await this.check(rule, target, touched, columnKey(target, field.join.targetColumn), this.scope.isPlanned);
  }

  private async link(schema: LinkedSchema, parts: Parts<WrittenLinks>, isNew: boolean): Promise<void> {
    const { target, field, touch, ownTouch } = parts[0].of;
    const ownKey = columnKey(schema, field.join.ownColumn);
    const ids = parts.map(({ id }) => id);
    const owns = await this.valuesIn(schema, ownKey, ids);
    const change = await this.change(parts, owns[0] as WrittenValue, isNew);
    if (field.join.kind === 'junction') await this.pair(parts, owns, change.removed);
    else {
      await this.check(unlessDeleted(ownTouch, schema), schema, change.released, ownKey);
      await this.exchange(parts, owns, change);
    }
    this.scope.transaction.ruleChecks.later(touch, target, [...change.added, ...change.removed]);
  }

  /** Finds and checks the changes of existing records. The records of a set with several records are new, so nothing is linked to them. */
  private async change(parts: Parts<WrittenLinks>, own: WrittenValue, isNew: boolean): Promise<LinkChange> {
    const add = parts.flatMap(({ of }) => of.add);
    const remove = parts.flatMap(({ of }) => of.remove);
    const link = { ...parts[0].of, add, remove };
    const { target, field, replaces, touch } = link;
    const named = [...keysOf(add), ...remove];
    const all = replaces && !isNew;
    if (this.scope.isPlanned && field.join.kind === 'junction')
      return { added: keysOf(add).map(String), removed: [], released: [] };
    if (named.length === 0 && !all) return { added: [], removed: [], released: [] };
    const seen = this.seen(target, field.many ? 'list' : 'get');
    const search = { join: field.join, key: keyOf(target), own, named, all, live: isLive(target), seen, touch };
    const change = changeOf(link, await this.linked(search));
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
    const wasLocked = join.kind === 'direct' && this.scope.transaction.lockedTables.has(join.targetTable);
    if (!all || !(isFree || wasLocked)) return this.run<LinkedRow>(renderLinked(search));
    const named = await this.run<LinkedRow>(renderLinked({ ...search, all: false }));
    const found = await this.run<LinkedRow>(renderLinked({ ...search, named: [], locks: isFree ? 'none' : 'free' }));
    const ids = new Set(named.map(({ id }) => id));
    return [...named, ...found.filter(({ id }) => !ids.has(id))];
  }

  private async pair(
    parts: Parts<WrittenLinks>,
    owns: readonly WrittenValue[],
    removed: readonly string[],
  ): Promise<void> {
    const { target, field, replaces } = parts[0].of;
    const { join } = field;
    if (join.kind !== 'junction') return;
    const created = (await this.scope.create(newEntries(parts.flatMap(({ of }) => of.add)))).values();
    const pairs = parts.flatMap(({ of }, at) => {
      const keys = keysInOrder(of.add, created);
      // Junction rows are inserted in a fixed order, so that writes from both sides do not deadlock.
      const otherKeys = join.junctionOrderColumn === undefined ? keys.map(String).sort() : keys;
      return otherKeys.map((other) => ({ own: owns[at]?.value, other }));
    });
    const [own] = owns as [WrittenValue];
    const otherValues = (value: readonly unknown[]): WrittenValue => ({ value, sqlType: keyOf(target).sqlType });
    if (removed.length > 0) await this.run(renderUnlink(join, own, otherValues(removed)));
    if (pairs.length === 0) return;
    const list = { value: pairs.map((one) => one.own), sqlType: own.sqlType };
    await this.run(renderPairs(join, list, otherValues(pairs.map(({ other }) => other)), replaces));
  }

  /** Changes the foreign keys of linked records, and creates nested records. */
  private async exchange(
    parts: Parts<WrittenLinks>,
    owns: readonly WrittenValue[],
    { removed, added }: LinkChange,
  ): Promise<void> {
    const [{ of: link }] = parts;
    const { targetColumn } = link.field.join;
    const presets = owns.map((own): Values => new Map([[targetColumn, own]]));
    const none: Values = new Map([[targetColumn, { value: null, sqlType: owns[0]?.sqlType ?? '' }]]);
    const presetOf = new Map(parts.flatMap(({ of }, at) => keysOf(of.add).map((id) => [String(id), presets[at]])));
    await this.withHooks(link, removed, () => none);
    await this.withHooks(link, added, (id) => presetOf.get(id) ?? none);
    await this.scope.create(parts.flatMap(({ of }, at) => newEntries(of.add, presets[at])));
  }

  private async withHooks(
    { target, field }: WrittenLinks,
    ids: readonly string[],
    linkOf: (id: string) => Values,
  ): Promise<void> {
    if (ids.length === 0) return;
    const { transaction, changes } = this.scope;
    const writes = ids.map((id) => ({ id, write: emptyWrite([field.backField]) }));
    const change = { schema: target, operation: 'update', records: () => writes } as const;
    await changes.withHooks(transaction, change, async () => {
      const updatedAt = updatedAtOf(target, transaction.context.now);
      const rows = writes.map(({ id, write }) => ({
        id,
        values: new Map([...write.values, ...linkOf(id), ...updatedAt]),
      }));
      for (const group of groupsOf(target, rows)) await this.run(renderUpdate(target.table.name, group, keyOf(target)));
      return ids;
    });
  }

  /** @throws AppError `field_invalid` for a newly linked file that the field does not accept. Existing links are not checked. */
  private async assertFits(
    { field, target, fits, location }: WrittenReference | WrittenLinks,
    ids: readonly unknown[],
  ): Promise<void> {
    if (fits === ALWAYS || ids.length === 0) return;
    const { ruleChecks, context } = this.scope.transaction;
    const found = await this.run(renderAmong(target.table.name, keyOf(target), ids, fits));
    if (found.length < ids.length) throw fieldInvalid(location, 'file_not_allowed');
    ruleChecks.fileQuotas.linked(context.snapshot, field, ids);
  }

  private async assertExists(
    target: LinkedSchema,
    ids: readonly unknown[],
    where: Condition,
    location: string,
  ): Promise<void> {
    if (this.scope.isPlanned || ids.length === 0) return;
    const found = await this.run(renderAmong(target.table.name, keyOf(target), ids, where));
    if (found.length < ids.length) throw referenceNotFound(location);
  }

  /** Checks a rule before the change, and schedules the check after it. */
  private async check(
    rule: Condition,
    schema: LinkedSchema,
    ids: readonly unknown[],
    key: KeyColumn,
    isChecked = false,
  ): Promise<void> {
    const { ruleChecks } = this.scope.transaction;
    if (!isChecked) await ruleChecks.now(rule, schema, ids, key);
    ruleChecks.later(rule, schema, ids, key);
  }

  private seen(target: LinkedSchema, action: 'get' | 'list'): Condition {
    return this.scope.transaction.context.fields.linkable(target, action);
  }

  /** Returns the values of foreign keys to records: their keys, or another unique field. Null for null. */
  private async valuesIn(
    schema: LinkedSchema,
    { column, sqlType }: KeyColumn,
    ids: readonly unknown[],
  ): Promise<readonly WrittenValue[]> {
    if (column === keyOf(schema).column) return ids.map((value) => ({ value, sqlType }));
    const found = await this.valuesOf(
      schema,
      ids.filter((id) => id !== null),
      column,
    );
    return ids.map((id) => {
      const value = found.get(String(id)) ?? null;
      if (id !== null && value === null) throw new AppError('record_not_found');
      return { value: id === null ? null : value, sqlType };
    });
  }

  private async valuesOf(
    schema: LinkedSchema,
    ids: readonly unknown[],
    column: string,
  ): Promise<ReadonlyMap<string | null, string | null>> {
    if (ids.length === 0) return new Map();
    const statement = renderValues(schema.table.name, keyOf(schema), ids, column);
    const rows = await this.run<{ id: string; value: string | null }>(statement);
    return new Map(rows.map(({ id, value }) => [id, value]));
  }

  private run<Row>(statement: Parameters<typeof run>[1]): Promise<Row[]> {
    return run<Row>(this.scope.transaction, statement);
  }
}

/** Extends a rule to deleted records. They cannot be changed, so links to them are kept without a check. */
function unlessDeleted(rule: Condition, schema: LinkedSchema): Condition {
  return rule === ALWAYS ? rule : anyOf([rule, complementOf(isLive(schema))]);
}
