import { memoize } from '../../../kernel/memoize.js';
import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import { type KeyColumn, keyOf } from '../resolve/sql-values.js';
import {
  keysOf,
  nestedWrites,
  type RecordWrite,
  type WrittenLinks,
  type WrittenReference,
} from '../resolve/writes/record-write.js';
import { ALWAYS } from '../resolve/conditions.js';

/** Row locks, from the weakest to the strongest (PostgreSQL §13.3.2). */
const STRENGTHS = ['KEY SHARE', 'NO KEY UPDATE', 'UPDATE'] as const;
export type LockStrength = (typeof STRENGTHS)[number];

interface LinkedRows {
  readonly from: Pick<LinkedSchema, 'table'>;
  readonly key: KeyColumn;
  readonly ids: readonly unknown[];
  readonly join: RelationJoin;
}

/** Rows of one table that one statement locks, in key order. */
export interface RowLocks {
  readonly table: string;
  readonly key: KeyColumn;
  readonly strength: LockStrength;
  readonly ids: readonly unknown[];
  readonly linked: readonly LinkedRows[];
}

/**
 * An advisory lock that a write takes before all row locks. Writes with a shared turn run concurrently and lock rows in a common order. A
 * write with an exclusive turn runs alone, because its lock order differs.
 */
export interface WriteTurn {
  readonly turn: string;
  readonly isShared: boolean;
}

export type PlannedLock = WriteTurn | RowLocks;

interface Group extends RowLocks {
  strength: LockStrength;
  readonly ids: unknown[];
  readonly linked: (LinkedRows & { readonly ids: unknown[] })[];
}

export interface LockedWrite {
  readonly write: RecordWrite;
  /** Keys of the records that change; empty for a new record. */
  readonly ids: readonly unknown[];
}

/**
 * Collects the row locks of writes, in an order that does not depend on the side of a relation that is written. Two writes that link the
 * same records then wait for each other instead of deadlocking.
 *
 * Referenced records are locked first, together with rows that exclude references: a deletion also locks a record before the records that
 * refer to it. Other changed rows follow. Each part is ordered by table, then by key. A write that excludes references to one row and
 * changes another row fits into no common order, so it takes an exclusive turn.
 */
export class LockPlan {
  /**
   * One-to-one relations that are written from the side without the foreign key. The current holder of the key is found before it is
   * locked.
   */
  private readonly exchanged = new Set<string>();
  private readonly deletions: WriteTurn[] = [];
  private readonly keyed = new Map<string, Group>();
  private readonly changed = new Map<string, Group>();
  /** Number of links whose rows change. The rows of a single link are locked in order when it is written. */
  linkCount = 0;
  /** Junction tables that a write changes from both sides, by two fields of a self relation. */
  private readonly twoSided = new Set<string>();

  /**
   * @param isBatch true for several writes in one transaction. They change junction rows in no common order, so the records of both sides
   * are locked as if they changed.
   */
  constructor(private readonly isBatch = false) {}

  static of(locked: LockedWrite): LockPlan {
    const plan = new LockPlan();
    plan.add(locked);
    return plan;
  }

  add({ write, ids }: LockedWrite): void {
    const { schema, references, links } = write;
    if (ids.length > 0 && changesUnique(write)) note(this.keyed, schema, 'UPDATE', ids);
    else if (ids.length > 0) note(this.changed, schema, 'NO KEY UPDATE', ids);
    for (const junction of junctionsFromBothSides(links)) this.twoSided.add(junction);
    for (const reference of references) this.addReference(schema, ids, reference);
    for (const link of links) this.addLinks(schema, ids, link);
    for (const nested of nestedWrites(write)) this.add({ write: nested, ids: [] });
  }

  addChanged(schema: LinkedSchema, ids: readonly unknown[]): void {
    note(this.changed, schema, 'NO KEY UPDATE', ids);
  }

  addDeleted(schema: LinkedSchema, ids: readonly unknown[], turns: readonly WriteTurn[]): void {
    note(this.keyed, schema, 'UPDATE', ids);
    this.deletions.push(...turns);
  }

  /** Turns of writes that lock several rows, and of exchanged one-to-one relations, in lock order. */
  get turns(): readonly WriteTurn[] {
    const { first, changes } = this;
    const excluding = first.filter(({ strength }) => strength === 'UPDATE');
    const isAlone = excluding.some((group) => changes.length > 0 || countRows(group) > 1);
    const isOrdered = changes.length > 1 || (excluding.length > 0 && first.length > 1) || this.isLockedTwice;
    const tables = new Map(this.deletions.map((turn) => [turn.turn, turn]));
    // Referenced records are locked in the common order. A changed row is locked after them.
    const taking = isAlone || isOrdered ? [...changes, ...first] : this.isOne ? [] : changes;
    for (const { table, strength } of taking)
      tables.set(table, {
        turn: table,
        isShared: (!isAlone || strength !== 'UPDATE') && tables.get(table)?.isShared !== false,
      });
    const exchanges = [...this.exchanged].map((turn) => ({ turn, isShared: false }));
    return [...exchanges, ...tables.values()].sort(byTurn);
  }

  /** Referenced records, and rows that exclude references. */
  get first(): readonly RowLocks[] {
    return [...this.keyed.values()]
      .map((group) => {
        const changed = this.isMerged(group) ? this.changed.get(group.table) : undefined;
        if (changed === undefined) return group;
        return { ...group, ids: [...group.ids, ...changed.ids], linked: [...group.linked, ...changed.linked] };
      })
      .sort(byTable);
  }

  /** Locks of a write that changes one row. That row is locked by its own statement. */
  get single(): readonly PlannedLock[] {
    return [...this.turns, ...this.first];
  }

  get changes(): readonly RowLocks[] {
    return [...this.changed.values()].filter(({ table }) => !this.isMerged(this.keyed.get(table))).sort(byTable);
  }

  /** True if a lock that excludes references is taken together with others. */
  get isExclusive(): boolean {
    return this.firstCount > 1 && this.first.some(({ strength }) => strength === 'UPDATE');
  }

  /** True if the statements that create records would lock several rows one after another. */
  get isSpread(): boolean {
    return this.linkCount > 1 || this.firstCount > 1 || this.turns.length > 0;
  }

  private get isOne(): boolean {
    return this.firstCount + this.changes.reduce((count, group) => count + countRows(group), 0) <= 1;
  }

  private get firstCount(): number {
    return this.first.reduce((count, group) => count + countRows(group), 0);
  }

  /** True if records of one table are both referenced and changed. The changed ones are locked later. */
  private get isLockedTwice(): boolean {
    return this.changes.some(({ table }) => this.keyed.has(table));
  }

  /** Returns true if the changed rows of the table are locked together with the group, because both may contain the same rows. */
  private isMerged(group: RowLocks | undefined): boolean {
    return group?.strength === 'UPDATE';
  }

  private addReference(
    schema: LinkedSchema,
    own: readonly unknown[],
    { ref, field, target, touch, isFixed }: WrittenReference,
  ): void {
    const ids = keysOf([ref]);
    if (touch === ALWAYS && !isFixed) return this.refer(target, ids);
    this.linkCount += 1;
    note(this.changed, target, 'NO KEY UPDATE', ids, own.length === 0 ? [] : [linked(schema, own, field.join)]);
  }

  private addLinks(schema: LinkedSchema, own: readonly unknown[], link: WrittenLinks): void {
    const { field, target, add, remove, replaces, touch, ownTouch } = link;
    const { join } = field;
    // Writes from both sides delete junction rows in no common order, so the records are locked in one.
    const ids = [...keysOf(add), ...remove];
    const present = replaces && own.length > 0 ? [linked(schema, own, join)] : [];
    if (ids.length + present.length === 0) return;
    if (join.kind === 'junction' && touch === ALWAYS && !this.twoSided.has(join.junctionTable) && !this.isBatch)
      return this.refer(target, ids);
    this.linkCount += 1;
    if (join.kind === 'direct' && uniqueColumns(target).has(join.targetColumn)) {
      this.exchanged.add(`${target.table.name}.${join.targetColumn}`);
      note(this.keyed, target, 'UPDATE', ids, present);
    } else note(this.changed, target, 'NO KEY UPDATE', ids, present);
    const back = target.fields[field.backField];
    if (join.kind === 'direct' && ownTouch !== ALWAYS && back?.kind === 'relation') {
      this.linkCount += 1;
      note(this.changed, schema, 'NO KEY UPDATE', [], [linked(target, ids, back.join)]);
    }
  }

  private refer(schema: LinkedSchema, ids: readonly unknown[]): void {
    if (ids.length > 0) note(this.keyed, schema, 'KEY SHARE', ids);
  }
}

function junctionsFromBothSides(links: readonly WrittenLinks[]): readonly string[] {
  const junctions = links.flatMap(({ field: { join } }) => (join.kind === 'junction' ? [join.junctionTable] : []));
  return junctions.filter((junction, at) => junctions.indexOf(junction) < at);
}

function countRows({ ids, linked: found }: RowLocks): number {
  return found.reduce((count, of) => count + of.ids.length, ids.length);
}

export function byTurn(one: WriteTurn, other: WriteTurn): number {
  return one.turn < other.turn ? -1 : 1;
}

export function byTable(one: Pick<RowLocks, 'table'>, other: Pick<RowLocks, 'table'>): number {
  return Number(one.table > other.table) - Number(one.table < other.table);
}

function note(
  groups: Map<string, Group>,
  schema: LinkedSchema,
  strength: LockStrength,
  ids: readonly unknown[],
  found: readonly LinkedRows[] = [],
): void {
  const { name } = schema.table;
  const group: Group = groups.get(name) ?? { table: name, key: keyOf(schema), strength, ids: [], linked: [] };
  groups.set(name, group);
  if (STRENGTHS.indexOf(strength) > STRENGTHS.indexOf(group.strength)) group.strength = strength;
  for (const id of ids) group.ids.push(id);
  for (const more of found) {
    const existing = group.linked.find(({ from, join }) => from === more.from && join === more.join);
    if (existing === undefined) group.linked.push({ ...more, ids: [...more.ids] });
    else existing.ids.push(...more.ids);
  }
}

function linked(from: LinkedSchema, ids: readonly unknown[], join: RelationJoin): LinkedRows {
  return { from, key: keyOf(from), ids, join };
}

/**
 * Returns true if a write locks other records or excludes references to its own record. A new record locks the records whose links change.
 */
export function locksOthers(op: 'create' | 'update', schema: LinkedSchema, body: unknown): boolean {
  const { fields } = schema;
  return Object.keys(Object(body) as object).some((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.kind === 'relation')
      return op === 'update' || field.join.kind === 'junction' || field.join.holder === 'target';
    return op === 'update' && field !== undefined && uniqueColumns(schema).has(field.column);
  });
}

/** Returns true if a write changes a unique column. PostgreSQL then locks the row as for a deletion (§13.3.2). */
export function changesUnique({
  schema,
  values,
  references,
}: Pick<RecordWrite, 'schema' | 'values' | 'references'>): boolean {
  const unique = uniqueColumns(schema);
  if (unique.size === 0) return false;
  return [...values.keys(), ...references.map(({ column }) => column)].some((column) => unique.has(column));
}

const uniqueColumns = memoize(
  ({ table }: LinkedSchema): ReadonlySet<string> =>
    new Set(table.indexes.flatMap(({ unique, columns }) => (unique ? columns : []))),
);
