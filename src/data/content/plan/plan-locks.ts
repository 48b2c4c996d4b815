import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import { keyOf, keysOf, newOf } from '../resolve/key-of.js';
import { ALWAYS } from '../resolve/resolved.types.js';
import type { KeyColumn, RecordWrite, WrittenLinks, WrittenReference } from '../resolve/writes/write.types.js';

/** Row locks, from the weakest to the strongest (PostgreSQL §13.3.2). */
const STRENGTHS = ['KEY SHARE', 'NO KEY UPDATE', 'UPDATE'] as const;
export type LockStrength = (typeof STRENGTHS)[number];

/** Rows that are linked to others by a relation. */
interface LinkedRows {
  readonly from: Pick<LinkedSchema, 'table'>;
  readonly key: KeyColumn;
  readonly ids: readonly unknown[];
  readonly join: RelationJoin;
}

/** Rows of one table that one statement locks, in the order of their keys. */
export interface RowLocks {
  readonly table: string;
  readonly key: KeyColumn;
  readonly strength: LockStrength;
  readonly ids: readonly unknown[];
  readonly linked: readonly LinkedRows[];
}

/**
 * A turn of writes, by an advisory lock that is taken before all rows. Writes with a shared turn run at the same time; they lock rows in
 * a common order. A write with an exclusive turn runs alone, because its order differs.
 */
export interface WriteTurn {
  readonly turn: string;
  readonly isShared: boolean;
}

/** A lock of a plan. */
export type PlannedLock = WriteTurn | RowLocks;

interface Group extends RowLocks {
  strength: LockStrength;
  readonly ids: unknown[];
  readonly linked: (LinkedRows & { readonly ids: unknown[] })[];
}

/** A write of one record, or of several by the same body. */
export interface LockedWrite {
  readonly write: RecordWrite;
  /** Keys of the records that change; none for a new record. */
  readonly ids: readonly unknown[];
}

/**
 * Collects the rows that writes lock, in an order that does not depend on the side that is written: two writes that link the same
 * records then wait for each other, and never deadlock.
 *
 * Records that are referred to come first, together with rows that exclude references: a deletion, too, locks a record before those
 * that refer to it. Other rows that change follow. Each part is locked table by table, in the order of the keys. A write that excludes
 * references to one row and changes another fits into no common order: it takes an exclusive turn.
 */
export class LockPlan {
  /** One-to-one relations that are written from the side that does not hold them: who holds them is found before it is locked. */
  private readonly exchanged = new Set<string>();
  private readonly deletions: WriteTurn[] = [];
  private readonly keyed = new Map<string, Group>();
  private readonly changed = new Map<string, Group>();
  /** Number of links whose rows change. */
  private links = 0;
  /** Junctions that a write changes from both sides, by two fields of a relation of a schema to itself. */
  private readonly twoSided = new Set<string>();

  /**
   * @param isBatch true for several writes in one transaction: they change pairs of a junction in no common order, so the records of both
   *   sides are locked as if they changed.
   */
  constructor(private readonly isBatch = false) {}

  /** Returns the locks of one write. */
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
    for (const nested of newOf([...references.map(({ ref }) => ref), ...links.flatMap(({ add }) => add)]))
      this.add({ write: nested, ids: [] });
  }

  addChanged(schema: LinkedSchema, ids: readonly unknown[]): void {
    note(this.changed, schema, 'NO KEY UPDATE', ids);
  }

  /** @param turns those of the deletion. */
  addDeleted(schema: LinkedSchema, ids: readonly unknown[], turns: readonly WriteTurn[]): void {
    note(this.keyed, schema, 'UPDATE', ids);
    this.deletions.push(...turns);
  }

  /** Turns of writes that lock several rows, and of one-to-one relations that are exchanged, in their order. */
  get turns(): readonly WriteTurn[] {
    const { first, changes } = this;
    const excluding = first.filter(({ strength }) => strength === 'UPDATE');
    const isAlone = excluding.some((group) => changes.length > 0 || countRows(group) > 1);
    const isOrdered = changes.length > 1 || (excluding.length > 0 && first.length > 1) || this.isLockedTwice;
    const tables = new Map(this.deletions.map((turn) => [turn.turn, turn]));
    // Records that are referred to are locked in the common order; a row that changes is locked after them.
    const taking = isAlone || isOrdered ? [...changes, ...first] : this.isOne ? [] : changes;
    for (const { table, strength } of taking)
      tables.set(table, {
        turn: table,
        isShared: (!isAlone || strength !== 'UPDATE') && tables.get(table)?.isShared !== false,
      });
    const exchanges = [...this.exchanged].map((turn) => ({ turn, isShared: false }));
    return [...exchanges, ...tables.values()].sort(byTurn);
  }

  /** Records that are referred to, and rows that exclude references. */
  get first(): readonly RowLocks[] {
    return [...this.keyed.values()]
      .map((group) => {
        const changed = this.isMerged(group) ? this.changed.get(group.table) : undefined;
        if (changed === undefined) return group;
        return { ...group, ids: [...group.ids, ...changed.ids], linked: [...group.linked, ...changed.linked] };
      })
      .sort(byTable);
  }

  /** Locks of a write that changes one row, which its statement locks. */
  get single(): readonly PlannedLock[] {
    return [...this.turns, ...this.first];
  }

  /** Rows that change. */
  get changes(): readonly RowLocks[] {
    return [...this.changed.values()].filter(({ table }) => !this.isMerged(this.keyed.get(table))).sort(byTable);
  }

  /** True if a lock that excludes references is taken beside others. */
  get isExclusive(): boolean {
    return this.firstCount > 1 && this.first.some(({ strength }) => strength === 'UPDATE');
  }

  /** True if statements that write new records would lock several rows, each at its time. */
  get isSpread(): boolean {
    return this.linkCount > 1 || this.firstCount > 1 || this.turns.length > 0;
  }

  /** Number of links whose rows change; those of one alone are locked in order when it is written. */
  get linkCount(): number {
    return this.links;
  }

  /** True if the writes lock one row. */
  private get isOne(): boolean {
    return this.firstCount + this.changes.reduce((count, group) => count + countRows(group), 0) <= 1;
  }

  private get firstCount(): number {
    return this.first.reduce((count, group) => count + countRows(group), 0);
  }

  /** Whether records of one table are referred to and others change: these are locked later. */
  private get isLockedTwice(): boolean {
    return this.changes.some(({ table }) => this.keyed.has(table));
  }

  /** Returns whether the rows of the table that change are locked together with these: they may be the same. */
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
    this.links += 1;
    note(this.changed, target, 'NO KEY UPDATE', ids, own.length === 0 ? [] : [linked(schema, own, field.join)]);
  }

  private addLinks(schema: LinkedSchema, own: readonly unknown[], link: WrittenLinks): void {
    const { field, target, add, remove, replaces, touch, ownTouch } = link;
    const { join } = field;
    // Pairs of both sides are deleted in no common order, so the records are locked in one.
    const ids = [...keysOf(add), ...remove];
    const present = replaces && own.length > 0 ? [linked(schema, own, join)] : [];
    if (ids.length + present.length === 0) return;
    if (join.kind === 'junction' && touch === ALWAYS && !this.twoSided.has(join.junctionTable) && !this.isBatch)
      return this.refer(target, ids);
    this.links += 1;
    if (join.kind === 'direct' && uniqueColumns(target).has(join.targetColumn)) {
      this.exchanged.add(`${target.table.name}.${join.targetColumn}`);
      note(this.keyed, target, 'UPDATE', ids, present);
    } else note(this.changed, target, 'NO KEY UPDATE', ids, present);
    const back = target.fields[field.backField];
    if (join.kind === 'direct' && ownTouch !== ALWAYS && back?.kind === 'relation') {
      this.links += 1;
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

/** Compares turns by the order in which they are taken. */
export function byTurn(one: WriteTurn, other: WriteTurn): number {
  return one.turn < other.turn ? -1 : 1;
}

/** Compares locks of rows by the order in which they are taken. */
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
    const known = group.linked.find(({ from, join }) => from === more.from && join === more.join);
    if (known === undefined) group.linked.push({ ...more, ids: [...more.ids] });
    else known.ids.push(...more.ids);
  }
}

function linked(from: LinkedSchema, ids: readonly unknown[], join: RelationJoin): LinkedRows {
  return { from, key: keyOf(from), ids, join };
}

/** Returns whether a write locks other records, or excludes references to its record. A new record locks those whose links change. */
export function locksOthers(op: 'create' | 'update', schema: LinkedSchema, body: unknown): boolean {
  const { fields } = schema;
  return Object.keys(Object(body) as object).some((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.kind === 'relation')
      return op === 'update' || field.join.kind === 'junction' || field.join.holder === 'target';
    return op === 'update' && field !== undefined && uniqueColumns(schema).has(field.column);
  });
}

/** Returns whether a write changes a unique column: the database then locks the row as for its deletion (PostgreSQL §13.3.2). */
export function changesUnique({
  schema,
  values,
  references,
}: Pick<RecordWrite, 'schema' | 'values' | 'references'>): boolean {
  const unique = uniqueColumns(schema);
  if (unique.size === 0) return false;
  return [...values.keys(), ...references.map(({ column }) => column)].some((column) => unique.has(column));
}

const UNIQUE = new WeakMap<LinkedSchema, ReadonlySet<string>>();

function uniqueColumns(schema: LinkedSchema): ReadonlySet<string> {
  const known = UNIQUE.get(schema);
  if (known !== undefined) return known;
  const found = new Set(schema.table.indexes.flatMap(({ unique, columns }) => (unique ? columns : [])));
  UNIQUE.set(schema, found);
  return found;
}
