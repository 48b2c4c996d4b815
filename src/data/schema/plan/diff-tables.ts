import { fieldType } from '../../model/field-types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type {
  LinkedCheck,
  LinkedForeignKey,
  LinkedIndex,
  LinkedTable,
  LinkedColumn,
} from '../../model/schema-model.types.js';
import {
  countSql,
  foreignKeyCheck,
  singleRowCheck,
  uniqueCheck,
  valueCheck,
  castCheck,
  columnsCheck,
  emptyTableCheck,
  notNullCheck,
} from './action-sql.js';
import type { MovedLinks } from './moved-links.js';
import { archivedName, planned, type FormerNames, orderRenames } from './plan-names.js';
import type { DataCheck, PlanAction, PlannedAction } from './plan.types.js';
import { type CastDirection, columnCast, preservesValues, needsCast } from './column-casts.js';

/** Foreign keys and indexes of an archived table are dropped first. A junction whose links are copied loses no data. */
export function dropTable(table: LinkedTable, version: number, moved: MovedLinks): readonly PlannedAction[] {
  const { id, name, primaryKey } = table;
  const archive: PlanAction = {
    kind: 'archive_table',
    table: name,
    archived: archivedName(name, id, version),
    primaryKey: primaryKey.name,
    archivedPrimaryKey: archivedName(primaryKey.name, id, version),
  };
  return [
    ...table.foreignKeys.map((foreignKey) => planned(table, { kind: 'drop_foreign_key', table: name, foreignKey })),
    ...table.indexes.map((index) => planned(table, { kind: 'drop_index', table: name, index })),
    { ...planned(table, archive), ...(moved.released.has(id) ? {} : { lossSql: countSql(name) }) },
  ];
}

export function createTable(table: LinkedTable): readonly PlannedAction[] {
  const { name, indexes, foreignKeys } = table;
  const populated = false;
  return [
    planned(table, { kind: 'create_table', table: name, definition: table }),
    ...indexes.map((index) => planned(table, { kind: 'create_index', table: name, index, populated })),
    ...foreignKeys.map((foreignKey) => planned(table, { kind: 'add_foreign_key', table: name, foreignKey, populated })),
  ];
}

export function changeTable(change: TableChange): readonly PlannedAction[] {
  const { before, after } = change;
  const { actions, replaced } = diffColumns(change);
  const stale = new Set(before.columns.filter(({ id }) => replaced.has(id)).map(({ name }) => name));
  const indexes = matched(before.indexes, after.indexes, ({ columns }) => columns.some((column) => stale.has(column)));
  const checks = matched(before.checks, after.checks, ({ column }) => stale.has(column));
  const keys = matched(before.foreignKeys, after.foreignKeys, ({ column }) => stale.has(column));
  const table = before.name;
  const primaryKey = after.managed ? [{ before: before.primaryKey, after: after.primaryKey }] : [];
  return [
    ...keys.dropped.map((foreignKey) => planned(after, { kind: 'drop_foreign_key', table, foreignKey })),
    ...indexes.dropped.map((index) => planned(after, { kind: 'drop_index', table, index })),
    ...checks.dropped.map((check) => planned(after, { kind: 'drop_check', table, check })),
    ...renames(indexes.kept).map(([index, to]) =>
      planned(after, { kind: 'rename_index', table: after.name, index, to }),
    ),
    ...renames([...primaryKey, ...checks.kept, ...keys.kept]).map(([constraint, to]) =>
      planned(after, { kind: 'rename_constraint', table: after.name, constraint, to }),
    ),
    ...actions,
    ...checks.added.map((check) => addCheck(change, check)),
    ...indexes.added.map((index) => createIndex(change, index)),
    ...keys.added.flatMap((foreignKey) => addForeignKey(change, foreignKey)),
  ];
}

interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** Matches objects by key. Objects on a replaced column are created again. */
function matched<T extends { readonly key: string }>(
  before: readonly T[],
  after: readonly T[],
  isStale: (object: T) => boolean,
) {
  const former = new Map(before.filter((object) => !isStale(object)).map((object) => [object.key, object]));
  const current = new Set(after.map((object) => object.key));
  return {
    dropped: before.filter((object) => isStale(object) || !current.has(object.key)),
    added: after.filter((object) => !former.has(object.key)),
    kept: after.flatMap((object): readonly Pair<T>[] => {
      const match = former.get(object.key);
      return match ? [{ before: match, after: object }] : [];
    }),
  };
}

/** Names of indexes and constraints contain table and column names, and follow their renames. */
function renames(kept: readonly Pair<{ readonly name: string }>[]): readonly (readonly [from: string, to: string])[] {
  return kept.map(({ before, after }) => [before.name, after.name] as const).filter(([from, to]) => from !== to);
}

function fieldOf({ columns }: LinkedTable, column: string | undefined): string | undefined {
  return columns.find(({ name }) => name === column)?.field;
}

function addCheck({ before, after, former }: TableChange, check: LinkedCheck): PlannedAction {
  const column = former.column(after.name, check.column);
  const now = after.columns.find(({ name }) => name === check.column);
  // If the column is converted, the cast check covers the range.
  const isText = check.rule.kind === 'enum' && column && ['string', 'enum'].includes(fieldType(column.type).family);
  const isComparable = column && now && (isText || column.sqlType === now.sqlType);
  const narrows =
    column && !before.checks.some((existing) => existing.column === column.name && allows(check, existing));
  return {
    ...planned(after, { kind: 'add_check', table: after.name, check }, now?.field),
    checks: isComparable && narrows ? [valueCheck(before.name, column.name, check.rule)] : [],
  };
}

function allows({ rule: wide }: LinkedCheck, { rule: narrow }: LinkedCheck): boolean {
  if (wide.kind === 'enum')
    return narrow.kind === 'enum' && narrow.values.every((value) => wide.values.includes(value));
  if (narrow.kind === 'enum') return false;
  return BigInt(narrow.min) >= BigInt(wide.min) && BigInt(narrow.max) <= BigInt(wide.max);
}

function createIndex(change: TableChange, index: LinkedIndex): PlannedAction {
  const { after } = change;
  const field = index.columns.length === 1 ? fieldOf(after, index.columns[0]) : undefined;
  const step = planned(after, { kind: 'create_index', table: after.name, index, populated: true }, field);
  return { ...step, checks: index.unique ? uniqueChecks(change, index) : [] };
}

/** A new column in a unique index has either no values or the same default in all rows. */
function uniqueChecks({ before, after, former }: TableChange, { columns, live }: LinkedIndex): readonly DataCheck[] {
  const existing = columns.flatMap((name) => former.column(after.name, name)?.name ?? []);
  if (existing.length === columns.length) {
    const isDeletable = live && before.columns.some(({ name }) => name === 'deleted_at');
    return [uniqueCheck(before.name, existing, isDeletable ? `${q('deleted_at')} IS NULL` : undefined)];
  }
  const fresh = after.columns.filter(({ name }) => columns.includes(name));
  const same = fresh.find((column) => column.default !== undefined && !column.identity);
  return existing.length === 0 && same && fresh.length === 1 ? [singleRowCheck(before.name, same)] : [];
}

function addForeignKey({ before, after, former }: TableChange, foreignKey: LinkedForeignKey): readonly PlannedAction[] {
  const table = after.name;
  const column = former.column(table, foreignKey.column);
  const target = former.table(foreignKey.targetTable);
  const targetColumn = former.column(foreignKey.targetTable, foreignKey.targetColumn);
  const to = target && targetColumn ? { table: target.name, column: targetColumn.name } : undefined;
  const field = fieldOf(after, foreignKey.column);
  const add = planned(after, { kind: 'add_foreign_key', table, foreignKey, populated: true }, field);
  return [
    { ...add, checks: column ? [foreignKeyCheck(before.name, column.name, to)] : [] },
    planned(after, { kind: 'validate_foreign_key', table, foreignKey }, field),
  ];
}

export interface TableChange {
  readonly before: LinkedTable;
  readonly after: LinkedTable;
  /** Version of the previous model, which is part of archived names. */
  readonly version: number;
  readonly moved: MovedLinks;
  readonly direction: CastDirection;
  readonly former: FormerNames;
}

export interface ColumnChanges {
  readonly actions: readonly PlannedAction[];
  /** Ids of columns whose values cannot be converted. They are archived and created again. */
  readonly replaced: ReadonlySet<string>;
}

function diffColumns(change: TableChange): ColumnChanges {
  const before = managedColumns(change.before);
  const after = managedColumns(change.after);
  const matched = [...after.values()].filter((column) => before.has(column.id));
  const replaced = new Set(
    matched.filter((to) => !preservesValues(before.get(to.id) ?? to, to, change.direction)).map((column) => column.id),
  );
  const lost = [...before.values()].filter((column) => !after.has(column.id) || replaced.has(column.id));
  const added = [...after.values()].filter((column) => !before.has(column.id) || replaced.has(column.id));
  const kept = matched
    .filter((column) => !replaced.has(column.id))
    .map((to) => ({ from: before.get(to.id) ?? to, to }));
  const renames = orderRenames(kept.map(({ from, to }) => ({ from: from.name, to: to.name })));
  const actions = [
    ...lost.map((column) => archive(change, column)),
    ...renames.map(({ from, to }) => renameColumn(change, from, to)),
    ...addColumns(change, added),
    ...kept.flatMap(({ from, to }) => changeColumn(change, from, to)),
  ];
  return { actions, replaced };
}

function managedColumns(table: LinkedTable): ReadonlyMap<string, LinkedColumn> {
  return new Map(table.columns.filter((column) => column.managed).map((column) => [column.id, column]));
}

function about({ after }: TableChange, { field }: LinkedColumn, action: PlanAction): PlannedAction {
  return planned(after, action, field);
}

function archive(change: TableChange, column: LinkedColumn): PlannedAction {
  const { name: table } = change.before;
  const archived = archivedName(column.name, column.id, change.version);
  const step = about(change, column, { kind: 'archive_column', table, column, archived });
  if (change.moved.released.has(column.id)) return step;
  return { ...step, lossSql: countSql(table, `${q(column.name)} IS NOT NULL`) };
}

function renameColumn(change: TableChange, from: string, to: string): PlannedAction {
  const field = change.after.columns.find((column) => column.name === to)?.field;
  return planned(change.after, { kind: 'rename_column', table: change.after.name, column: from, to }, field);
}

/** A required column that receives copied links is nullable until they are copied. */
function addColumn(change: TableChange, column: LinkedColumn): readonly PlannedAction[] {
  const { name: table } = change.after;
  const unlinked = change.moved.filled.get(column.id);
  if (unlinked !== undefined && !column.nullable) {
    const optional = { ...column, nullable: true };
    return [
      about(change, column, { kind: 'add_column', table, column: optional }),
      { ...about(change, column, { kind: 'set_not_null', table, column }), checks: [unlinked] },
    ];
  }
  if (column.identity && column.field === '') return countColumn(change, column);
  const isFilled = column.nullable || column.identity || column.default !== undefined;
  const checks = isFilled ? [] : [emptyTableCheck(change.before, column)];
  return [{ ...about(change, column, { kind: 'add_column', table, column }), checks }];
}

/** Adds an order column. Existing links get 0, so they come first and are not rewritten. */
function countColumn(change: TableChange, column: LinkedColumn): readonly PlannedAction[] {
  const { name: table } = change.after;
  const uncounted = { ...column, identity: false, default: 0 };
  return [
    about(change, column, { kind: 'add_column', table, column: uncounted }),
    about(change, column, { kind: 'drop_default', table, column: uncounted }),
    about(change, column, { kind: 'add_identity', table, column }),
  ];
}

/** The first added column gets a check that the table has room for all of them. */
function addColumns(change: TableChange, columns: readonly LinkedColumn[]): readonly PlannedAction[] {
  const steps = columns.flatMap((column) => addColumn(change, column));
  const [first, ...rest] = steps;
  if (first === undefined) return [];
  const added = steps.filter(({ action }) => action.kind === 'add_column').length;
  return [{ ...first, checks: [...(first.checks ?? []), columnsCheck(change.before.name, added)] }, ...rest];
}

function changeColumn(change: TableChange, from: LinkedColumn, to: LinkedColumn): readonly PlannedAction[] {
  const table = change.after.name;
  const step = (action: PlanAction, checks: readonly DataCheck[] = []) => ({ ...about(change, to, action), checks });
  const steps: PlannedAction[] = [];
  const isRetyped = needsCast(from, to);
  const defaultChanged = JSON.stringify(from.default) !== JSON.stringify(to.default);
  if (from.default !== undefined && (isRetyped || defaultChanged)) {
    steps.push(step({ kind: 'drop_default', table, column: to }));
  }
  if (from.identity && !to.identity) steps.push(step({ kind: 'drop_identity', table, column: to }));
  if (isRetyped) steps.push(changeType(change, from, to));
  if (from.nullable && !to.nullable) {
    const isFilled = to.default !== undefined;
    const checks = isFilled ? [] : [notNullCheck(change.before, from.name)];
    steps.push(step({ kind: 'set_not_null', table, column: to }, checks));
  } else if (!from.nullable && to.nullable) {
    steps.push(step({ kind: 'drop_not_null', table, column: to }));
  }
  if (!from.identity && to.identity) steps.push(step({ kind: 'add_identity', table, column: to }));
  if (to.default !== undefined && (isRetyped || defaultChanged)) {
    steps.push(step({ kind: 'set_default', table, column: to, value: to.default }));
  }
  return steps;
}

function changeType(change: TableChange, from: LinkedColumn, to: LinkedColumn): PlannedAction {
  // The conversion uses names after the renames; the data checks use names before them.
  const using = columnCast(from, to, q(to.name), change.direction)?.using ?? q(to.name);
  const { invalid, changed } = columnCast(from, to, q(from.name), change.direction) ?? {};
  const step = about(change, to, { kind: 'change_type', table: change.after.name, column: to, from, using });
  const { name } = change.before;
  return {
    ...step,
    checks: invalid ? [castCheck(name, from, to, invalid)] : [],
    ...(changed ? { lossSql: countSql(name, changed) } : {}),
  };
}
