import { fieldType } from '../../model/field-types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LinkedCheck, LinkedForeignKey, LinkedIndex, LinkedTable } from '../../model/schema-model.types.js';
import { countSql, foreignKeyCheck, singleRowCheck, uniqueCheck, valueCheck } from './data-checks.js';
import { diffColumns, type TableChange } from './diff-columns.js';
import type { MovedLinks } from './moved-links.js';
import { archivedName, planned } from './plan-names.js';
import type { DataCheck, PlanAction, PlannedAction } from './plan.types.js';

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
