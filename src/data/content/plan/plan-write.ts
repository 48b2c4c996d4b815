import type { JunctionJoin, LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { type Condition, ALWAYS } from '../resolve/conditions.js';
import { type KeyColumn, keyOf, type WrittenValue, writtenValue } from '../resolve/sql-values.js';
import { type PlannedLock, byTable, changesUnique, LockPlan } from './plan-locks.js';
import type { PlannedRecord } from './query-plan.types.js';
import { memoize } from '../../../kernel/memoize.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import {
  keysOf,
  type RecordRef,
  type RecordWrite,
  type WrittenLinks,
  type WrittenReference,
} from '../resolve/writes/record-write.js';
import { referencesAny } from './reaches-field.js';

export interface SeenRecords {
  readonly table: string;
  readonly key: KeyColumn;
  readonly where: Condition;
}

/** Records that a write refers to. All must exist and be visible. */
export interface ReferredRecords extends SeenRecords {
  readonly ids: readonly unknown[];
}

export interface PlannedLinks {
  readonly join: JunctionJoin;
  readonly target: SeenRecords;
  readonly add: readonly unknown[];
  readonly remove: readonly unknown[];
  /** True if visible links that are not in `add` are deleted. */
  readonly replaces: boolean;
  /** Maximum number of visible links that may be replaced; null for no limit. */
  readonly maxReplaced: number | null;
}

export interface RowGuard {
  readonly rule: Condition;
  readonly otherColumns: ReadonlyMap<string, WrittenValue>;
  readonly unchangedColumns: readonly string[];
}

/** The record in the response to a write. */
export interface ResponsePlan {
  /** Condition for records that the principal can read. */
  readonly visible: Condition;
  readonly record: PlannedRecord;
}

export interface CreatePlan extends ResponsePlan {
  readonly table: string;
  readonly key: KeyColumn;
  /** By column. */
  readonly values: ReadonlyMap<string, WrittenValue>;
  readonly otherColumns: ReadonlyMap<string, WrittenValue>;
  readonly rule: Condition;
  /** Sorted by table. */
  readonly refers: readonly ReferredRecords[];
  /** Rows to lock first, in this order, if the statement would otherwise lock them in another order. */
  readonly locks: readonly PlannedLock[];
  readonly links: readonly PlannedLinks[];
  /** Event for the audit log, without the record key. Null or undefined if the audit log is off for this record. */
  readonly event?: readonly (string | null)[] | null;
}

export interface ChangePlan extends Omit<CreatePlan, 'otherColumns'> {
  /** Condition for the record and for the permission to change it. `rule` must match before and after the change. */
  readonly where: Condition;
  /** Accepted row versions; null for any. */
  readonly versions: readonly string[] | null;
  /** True if the record must not have changed since the statement began, because the statement would not see the links of that change. */
  readonly unchanged: boolean;
  readonly unchangedColumns: readonly string[];
}

export interface RemovePlan extends Pick<CreatePlan, 'table' | 'key' | 'event' | 'locks'> {
  readonly where: Condition;
  readonly versions: readonly string[] | null;
  /** Values of a soft deletion; null for a permanent deletion. */
  readonly values: ReadonlyMap<string, WrittenValue> | null;
}

/** Values of the columns that are not given. `isComplete` is false if only the database knows some of them. */
interface OtherColumns {
  readonly otherColumns: ReadonlyMap<string, WrittenValue>;
  readonly isComplete: boolean;
}

const NO_OTHER_COLUMNS: OtherColumns = { otherColumns: new Map(), isComplete: true };

type PlannedWrite = Omit<CreatePlan, 'otherColumns' | 'locks'>;

/**
 * Plans a new record as one statement. Returns null for a write that needs several: nested records, links stored in other records, and
 * rules or responses that read data changed by the write itself.
 *
 * @param generated server-generated values by column.
 */
export function planCreate(
  write: RecordWrite,
  generated: ReadonlyMap<string, WrittenValue>,
  answer: ResponsePlan,
  fields: FieldResolver,
  now: Date,
): CreatePlan | null {
  const plan = planWrite(write, generated, answer, fields);
  if (plan === null || plan.values.size === 0) return null;
  const { otherColumns, isComplete } =
    plan.rule === ALWAYS ? NO_OTHER_COLUMNS : otherColumnsOf(write.schema, plan.values, now);
  if (!isComplete) return null;
  const links = plan.links.flatMap((link) => (link.add.length === 0 ? [] : [{ ...link, replaces: false, remove: [] }]));
  const locks = repeats(plan.refers) ? LockPlan.of({ write, ids: [] }).single : [];
  return { ...plan, links, otherColumns, locks };
}

/** Plans a change as one statement. Returns null for the same reasons as {@link planCreate}, and if no column changes. */
export function planChange(
  write: RecordWrite,
  generated: ReadonlyMap<string, WrittenValue>,
  answer: ResponsePlan,
  fields: FieldResolver,
  { id, ...found }: Pick<ChangePlan, 'where' | 'versions'> & { readonly id: unknown },
): ChangePlan | null {
  const plan = planWrite(write, generated, answer, fields);
  if (plan === null || plan.values.size === 0 || isFollowed(write.schema, plan.values)) return null;
  const unchanged = plan.links.some(({ replaces, remove }) => replaces || remove.length > 0);
  // The row version reveals changes of links only if every change also writes a column of the row.
  if (unchanged && generated.size === 0) return null;
  const unchangedColumns = plan.rule === ALWAYS ? [] : unchangedColumnsOf(write.schema, plan.values);
  return { ...plan, ...found, unchanged, unchangedColumns, locks: locksOf(plan, write, id) };
}

function planWrite(
  { schema, values: own, references, links, rule }: RecordWrite,
  generated: ReadonlyMap<string, WrittenValue>,
  { visible, record }: ResponsePlan,
  fields: FieldResolver,
): PlannedWrite | null {
  if (schema.system) return null;
  if ([...references, ...links].some(({ touch, fits, isFixed }) => touch !== ALWAYS || fits !== ALWAYS || isFixed))
    return null;
  const planned = links.map((link) => linksOf(link, schema, fields));
  const referred = references.map((reference) => valueOf(reference));
  if (planned.includes(null) || referred.includes(undefined)) return null;
  const refers = [
    ...references.flatMap((reference) =>
      refersTo(reference.target, [reference.ref], fields.linkable(reference.target, 'get')),
    ),
    ...links.flatMap(({ target, add, remove }) =>
      refersTo(
        target,
        [...add, ...remove.map((value) => ({ kind: 'id' as const, value }))],
        fields.linkable(target, 'list'),
      ),
    ),
  ];
  const isLinked = (link: PlannedLinks | null): link is PlannedLinks => link !== null;
  const changing = planned.filter(isLinked).filter((link) => link.replaces || link.add.length + link.remove.length > 0);
  const changed = new Set([schema.table.name, ...changing.map(({ join }) => join.junctionTable)]);
  const seen = [...refers, ...changing.map(({ target }) => target)].map(({ where }) => where);
  if (referencesAny(changed, [rule, visible, ...seen], record)) return null;
  const referenceColumns = references.map(({ column }, at) => [column, referred[at] as WrittenValue] as const);
  return {
    table: schema.table.name,
    key: keyOf(schema),
    values: new Map([...generated, ...own, ...referenceColumns]),
    rule,
    refers: refers.sort(byTable),
    links: changing,
    visible,
    record,
  };
}

/** Returns the locks that the statement of a change would not take in the common order. */
function locksOf({ table, refers }: PlannedWrite, write: RecordWrite, id: unknown): readonly PlannedLock[] {
  if (refers.length === 0) return [];
  const plan = LockPlan.of({ write, ids: [id] });
  return changesUnique(write) || repeats([{ table }, ...refers]) ? plan.single : plan.turns;
}

/** Returns true if rows of one table are locked more than once. They have a common order only if they are locked together first. */
function repeats(locked: readonly Pick<ReferredRecords, 'table'>[]): boolean {
  return new Set(locked.map(({ table }) => table)).size < locked.length;
}

/** Returns the value of the foreign key column, or undefined if it must be looked up or created. */
function valueOf({ ref, target, field }: WrittenReference): WrittenValue | undefined {
  const key = keyOf(target);
  if (ref === null) return { value: null, sqlType: key.sqlType };
  return ref.kind === 'id' && field.join.targetColumn === key.column
    ? { value: ref.value, sqlType: key.sqlType }
    : undefined;
}

function linksOf(
  { field, target, add, remove, replaces, maxReplaced }: WrittenLinks,
  schema: LinkedSchema,
  fields: FieldResolver,
): PlannedLinks | null {
  const { join } = field;
  if (join.kind !== 'junction' || target === schema || add.some(({ kind }) => kind === 'new')) return null;
  const [own, other] = [keyOf(schema), keyOf(target)];
  if (join.ownColumn !== own.column || join.targetColumn !== other.column) return null;
  const addedKeys = new Set(keysOf(add).map(String));
  const gone = remove.filter((id) => !addedKeys.has(String(id)));
  const seen = { table: target.table.name, key: other, where: fields.linkable(target, 'list') };
  // Junction rows are inserted in a fixed order, so that writes from both sides do not deadlock.
  const sorted = join.junctionOrderColumn === undefined ? [...addedKeys].sort() : [...addedKeys];
  return { join, target: seen, add: sorted, remove: gone, replaces, maxReplaced };
}

function refersTo(
  target: LinkedSchema,
  refs: readonly (RecordRef | null)[],
  where: Condition,
): readonly ReferredRecords[] {
  const ids = [...new Set(keysOf(refs).map(String))];
  return ids.length === 0 ? [] : [{ table: target.table.name, key: keyOf(target), ids, where }];
}

/**
 * Plans the check of a rule before the row is written, with the values of its other columns. Returns null if there is no rule, or if it
 * reads data that the write changes and can only be checked afterwards. An early check prevents leaks about other records, such as which
 * unique values are taken.
 */
export function planGuard(write: RecordWrite, values: ReadonlyMap<string, WrittenValue>, now: Date): RowGuard | null {
  if (!isCheckedBefore(write)) return null;
  const { schema, mode, rule } = write;
  if (mode !== 'create') return { rule, otherColumns: new Map(), unchangedColumns: unchangedColumnsOf(schema, values) };
  const { otherColumns, isComplete } = otherColumnsOf(schema, values, now);
  return isComplete ? { rule, otherColumns, unchangedColumns: [] } : null;
}

export function planUnwritten(
  { schema, mode }: RecordWrite,
  values: ReadonlyMap<string, WrittenValue>,
  now: Date,
): ReadonlyMap<string, WrittenValue> {
  return mode === 'create' ? new Map([...values, ...otherColumnsOf(schema, values, now).otherColumns]) : values;
}

/** Returns true if the rule does not read tables that the write changes. */
export function isCheckedBefore({ schema, rule, links }: RecordWrite): boolean {
  const tables = links.map(({ field: { join } }) => (join.kind === 'junction' ? join.junctionTable : join.targetTable));
  return rule !== ALWAYS && !referencesAny(new Set([schema.table.name, ...tables]), [rule]);
}

function unchangedColumnsOf({ table }: LinkedSchema, values: ReadonlyMap<string, WrittenValue>): readonly string[] {
  return table.columns.map(({ name }) => name).filter((name) => !values.has(name));
}

function otherColumnsOf(schema: LinkedSchema, values: ReadonlyMap<string, WrittenValue>, now: Date): OtherColumns {
  const otherColumns = new Map<string, WrittenValue>();
  let isComplete = true;
  for (const { name, sqlType, identity, type, default: value } of schema.table.columns) {
    if (values.has(name)) continue;
    const field = Object.values(schema.fields).find(
      (entry): entry is LinkedValueField => entry.kind === 'value' && entry.column === name,
    );
    if (identity || (type === 'time' && value === 'now') || (value !== undefined && field === undefined))
      isComplete = false;
    otherColumns.set(name, value === undefined || !field ? { value: null, sqlType } : writtenValue(value, field, now));
  }
  return { otherColumns, isComplete };
}

/** Returns true if a changed column, other than the key, is referenced by foreign keys. The database then updates those records too. */
function isFollowed(schema: LinkedSchema, values: ReadonlyMap<string, WrittenValue>): boolean {
  return followedColumns(schema).some((column) => values.has(column));
}

const followedColumns = memoize((schema: LinkedSchema) =>
  Object.values(schema.fields).flatMap((field) => {
    if (field.kind !== 'relation' || field.join.ownColumn === keyOf(schema).column) return [];
    return field.join.kind === 'junction' || field.join.holder === 'target' ? [field.join.ownColumn] : [];
  }),
);
