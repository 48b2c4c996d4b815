import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { allOf, ALWAYS, type Condition } from '../resolve/conditions.js';
import { keyOf } from '../resolve/sql-values.js';
import {
  keysOf,
  nestedWrites,
  type RecordWrite,
  type WrittenLinks,
  type WrittenReference,
} from '../resolve/writes/record-write.js';
import type { RecordSubscriptions } from './deletion-rules.js';
import { reachesField } from './reaches-field.js';
import { changesUnique } from './plan-locks.js';
import { isCheckedBefore, type ReferredRecords } from './plan-write.js';
import type { PlannedRecord } from './query-plan.types.js';

/** Writes that can run in bulk, because none depends on the effects of another. */
export interface SetPlan {
  readonly referred: readonly ReferredRecords[];
  /** Returns true if the conditions or the selected fields read data that the set changes, other than the record itself. */
  readonly isSeenBy: (conditions: readonly Condition[], record?: PlannedRecord) => boolean;
  readonly rules: readonly Condition[];
}

/**
 * Plans writes, including nested ones, in bulk: one statement per relation instead of one per record. Returns null if the result could
 * differ: if a record has hooks or listeners, is written twice, or if a check could depend on another write of the set.
 *
 * @param writes writes of one schema and one mode; each change is of another record.
 */
export function planSet(
  writes: readonly RecordWrite[],
  fields: FieldResolver,
  listeners: RecordSubscriptions,
): SetPlan | null {
  const all = withNested(writes);
  const tables = new SetTables();
  if (!all.every((write) => isPlain(write, listeners) && tables.add(write)) || tables.mayLinkNewRecords) return null;
  const isSeenBy: SetPlan['isSeenBy'] = (conditions, record) =>
    reachesField((join) => tables.isSeenOver(join), conditions, record);
  const { referred, conditions: referenceConditions } = referredBy(all, fields);
  const isMoving = referred.some(({ table }) => tables.changes(table));
  const rules = all.filter(isCheckedBefore).map(({ rule }) => rule);
  if (isMoving || isSeenBy([...referenceConditions, ...rules])) return null;
  return { referred, isSeenBy, rules: all.flatMap(rulesOf) };
}

class SetTables {
  private readonly grown = new Set<string>();
  /** Tables whose rows change, with the link that changes them and the keys of the changed records. */
  private readonly changed = new Map<string, { readonly by: string; readonly ids: Set<string> }>();
  /** Changed tables whose keys are not server-generated UUIDs, so that a key can be predicted before the insert. */
  private readonly withPredictableKeys = new Set<string>();

  /** Adds the changes of a write. Returns false if they conflict with those of another write. */
  add({ schema, mode, links }: RecordWrite): boolean {
    const { name } = schema.table;
    if (mode === 'create') this.grown.add(name);
    else this.changed.set(name, { by: '', ids: new Set() });
    return links.every(({ field, target, add }) => {
      const { join } = field;
      if (join.kind === 'junction') {
        if (add.length > 0) this.grown.add(join.junctionTable);
        return true;
      }
      return keysOf(add).every((id) => this.change(target, `${schema.name}.${field.name}`, String(id)));
    });
  }

  changes(table: string): boolean {
    return this.changed.has(table);
  }

  /**
   * Returns true if a relation may show rows that the set changes. The row behind an existing reference does not change, but more rows may
   * refer to a record afterwards.
   */
  isSeenOver(join: RelationJoin): boolean {
    if (this.changed.has(join.targetTable)) return true;
    if (join.kind === 'junction') return this.grown.has(join.junctionTable);
    return join.holder === 'target' && this.grown.has(join.targetTable);
  }

  /** Whether a linked record may be a new record of the set, because its key was predictable. */
  get mayLinkNewRecords(): boolean {
    return [...this.withPredictableKeys].some((table) => this.grown.has(table));
  }

  private change({ table: { name }, fields, primaryField }: LinkedSchema, by: string, id: string): boolean {
    const key = fields[primaryField];
    if (key?.kind !== 'value' || key.generated !== 'uuid') this.withPredictableKeys.add(name);
    const entry = this.changed.get(name) ?? { by, ids: new Set() };
    this.changed.set(name, entry);
    const isFirst = entry.by === by && !entry.ids.has(id);
    entry.ids.add(id);
    return isFirst;
  }
}

function withNested(writes: readonly RecordWrite[]): readonly RecordWrite[] {
  const all = [...writes];
  for (const write of all) all.push(...nestedWrites(write));
  return all;
}

function isPlain(write: RecordWrite, listeners: RecordSubscriptions): boolean {
  const { schema, mode, values, references, links } = write;
  const isNew = mode === 'create';
  if (listeners.hasSubscribers(schema, isNew ? 'create' : 'update')) return false;
  // The check of a unique value depends on the order of the changes.
  if (isNew ? values.size + references.length === 0 : links.length > 0 || changesUnique(write)) return false;
  const own = keyOf(schema).column;
  return (
    references.every(({ ref, target, field, isFixed, touch, fits }) => {
      if (ref?.kind === 'id' && fits !== ALWAYS) return false;
      if (!isNew && (ref?.kind === 'new' || isFixed || touch !== ALWAYS)) return false;
      if (ref?.kind === 'id' && isFixed) return false;
      return ref === null || field.join.targetColumn === keyOf(target).column;
    }) &&
    links.every(({ field: { join }, target, add, remove, isFixed, fits }) => {
      if (add.length + remove.length === 0) return true;
      if (fits !== ALWAYS && keysOf(add).length > 0) return false;
      if (join.ownColumn !== own || (isFixed && keysOf(add).length > 0)) return false;
      return join.kind === 'junction'
        ? join.targetColumn === keyOf(target).column
        : keysOf(add).length === 0 || !listeners.hasSubscribers(target, 'update');
    })
  );
}

function referredBy(
  writes: readonly RecordWrite[],
  fields: FieldResolver,
): { readonly referred: readonly ReferredRecords[]; readonly conditions: readonly Condition[] } {
  const referred = new Map<string, ReferredRecords & { readonly ids: unknown[] }>();
  const conditions = new Set<Condition>();
  const note = (
    name: string,
    { field, target, touch }: WrittenReference | WrittenLinks,
    ids: readonly unknown[],
    isTouched: boolean,
  ): void => {
    if (ids.length === 0) return;
    const key = `${name}.${field.name} ${isTouched}`;
    const seen = fields.linkable(target, field.many ? 'list' : 'get');
    const where = isTouched ? allOf([seen, touch]) : seen;
    const entry = referred.get(key) ?? { table: target.table.name, key: keyOf(target), where, ids: [] };
    referred.set(key, entry);
    conditions.add(entry.where);
    entry.ids.push(...ids);
  };
  for (const { schema, references, links } of writes) {
    for (const reference of references) note(schema.name, reference, keysOf([reference.ref]), true);
    for (const link of links) {
      const { field, target, add, remove, touch, ownTouch } = link;
      if (field.join.kind === 'junction') note(schema.name, link, keysOf(add), true);
      else if (keysOf(add).length > 0)
        for (const one of [fields.linkable(target, field.many ? 'list' : 'get'), touch, ownTouch]) conditions.add(one);
      note(schema.name, link, remove, false);
    }
  }
  return { referred: [...referred.values()], conditions: [...conditions] };
}

function rulesOf({ rule, references, links }: RecordWrite): readonly Condition[] {
  return [rule, ...references.map(({ touch }) => touch), ...links.flatMap(({ touch, ownTouch }) => [touch, ownTouch])];
}
