import { fieldType } from '../../model/field-types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LinkedCheck, LinkedForeignKey, LinkedIndex, LinkedTable } from '../../model/schema-model.types.js';
import { countSql, foreignKeyCheck, singleRowCheck, uniqueCheck, valueCheck } from './data-checks.js';
import { diffColumns, type TableChange } from './diff-columns.js';
import type { MovedLinks } from './moved-links.js';
import { archivedName, type FormerNames } from './plan-names.js';
import type { DataCheck, PlanAction, PlannedAction } from './plan.types.js';

/** Foreign keys and indexes of an archived table are dropped first. A junction whose links are copied loses no data. */
export function dropTable(table: LinkedTable, version: number, moved: MovedLinks): readonly PlannedAction[] {
  const keys = table.foreignKeys.map((foreignKey) =>
    planned(table, { kind: 'drop_foreign_key', table: table.name, foreignKey }),
  );
  const indexes = table.indexes.map((index) => planned(table, { kind: 'drop_index', table: table.name, index }));
  const { name: primaryKey } = table.primaryKey;
  const action: PlanAction = {
    kind: 'archive_table',
    table: table.name,
    archived: archivedName(table.name, table.id, version),
    primaryKey,
    archivedPrimaryKey: archivedName(primaryKey, table.id, version),
  };
  const loss = moved.left.has(table.id) ? {} : { lossSql: countSql(table.name) };
  return [...keys, ...indexes, { ...planned(table, action), ...loss }];
}

export function createTable(table: LinkedTable): readonly PlannedAction[] {
  const { name } = table;
  return [
    planned(table, { kind: 'create_table', table: name, definition: table }),
    ...table.indexes.map((index) => planned(table, { kind: 'create_index', table: name, index, populated: false })),
    ...table.foreignKeys.map((foreignKey) =>
      planned(table, { kind: 'add_foreign_key', table: name, foreignKey, populated: false }),
    ),
  ];
}

export function changeTable(change: TableChange, former: FormerNames): readonly PlannedAction[] {
  const { before, after } = change;
  const { actions, replaced } = diffColumns(change);
  const isStale = staleColumns(before, replaced);
  const indexes = matched(before.indexes, after.indexes, (index) => index.columns.some(isStale));
  const checks = matched(before.checks, after.checks, (check) => isStale(check.column));
  const keys = matched(before.foreignKeys, after.foreignKeys, (key) => isStale(key.column));
  const drop = (action: PlanAction) => planned(after, action);
  return [
    ...keys.dropped.map((foreignKey) => drop({ kind: 'drop_foreign_key', table: before.name, foreignKey })),
    ...indexes.dropped.map((index) => drop({ kind: 'drop_index', table: before.name, index })),
    ...checks.dropped.map((check) => drop({ kind: 'drop_check', table: before.name, check })),
    ...renamedObjects(change, indexes.kept, [...checks.kept, ...keys.kept]),
    ...actions,
    ...checks.added.map((check) => addCheck(change, check, former)),
    ...indexes.added.map((index) => createIndex(change, index, former)),
    ...keys.added.flatMap((foreignKey) => addForeignKey(change, foreignKey, former)),
  ];
}

function planned(table: LinkedTable, action: PlanAction, column?: string): PlannedAction {
  const field = table.columns.find((candidate) => candidate.name === column)?.field;
  return { action, schema: table.schema, ...(field ? { field } : {}) };
}

function staleColumns(before: LinkedTable, replaced: ReadonlySet<string>): (column: string) => boolean {
  const names = new Set(before.columns.filter((column) => replaced.has(column.id)).map((column) => column.name));
  return (column) => names.has(column);
}

interface Named {
  readonly key: string;
  readonly name: string;
}

/** Matches objects by key. Objects on a replaced column are created again. */
function matched<T extends Named>(before: readonly T[], after: readonly T[], isStale: (object: T) => boolean) {
  const former = new Map(before.filter((object) => !isStale(object)).map((object) => [object.key, object]));
  const current = new Set(after.map((object) => object.key));
  return {
    dropped: before.filter((object) => isStale(object) || !current.has(object.key)),
    added: after.filter((object) => !former.has(object.key)),
    kept: after.flatMap((object): readonly { before: T; after: T }[] => {
      const match = former.get(object.key);
      return match ? [{ before: match, after: object }] : [];
    }),
  };
}

interface Kept {
  readonly before: Named;
  readonly after: Named;
}

/** Names of indexes and constraints contain table and column names, and follow their renames. */
function renamedObjects(
  { before, after }: TableChange,
  indexes: readonly Kept[],
  constraints: readonly Kept[],
): readonly PlannedAction[] {
  const isRenamed = (kept: Kept) => kept.before.name !== kept.after.name;
  const key: Kept = {
    before: { key: '', name: before.primaryKey.name },
    after: { key: '', name: after.primaryKey.name },
  };
  const table = after.name;
  return [
    ...indexes.filter(isRenamed).map((kept): PlanAction => {
      return { kind: 'rename_index', table, index: kept.before.name, to: kept.after.name };
    }),
    ...[...(after.managed ? [key] : []), ...constraints].filter(isRenamed).map((kept): PlanAction => {
      return { kind: 'rename_constraint', table, constraint: kept.before.name, to: kept.after.name };
    }),
  ].map((action) => planned(after, action));
}

function addCheck({ before, after }: TableChange, check: LinkedCheck, former: FormerNames): PlannedAction {
  const action: PlanAction = { kind: 'add_check', table: after.name, check };
  const column = former.column(after.name, check.column);
  const now = after.columns.find((candidate) => candidate.name === check.column);
  // If the column is converted, the cast check covers the range.
  const isText = check.rule.kind === 'enum' && column && ['string', 'enum'].includes(fieldType(column.type).family);
  const isComparable = column && now && (isText || column.sqlType === now.sqlType);
  const narrows = column && !before.checks.some((known) => known.column === column.name && allows(check, known));
  const checks = isComparable && narrows ? [valueCheck(before.name, column.name, check.rule)] : [];
  return { ...planned(after, action, check.column), checks };
}

function allows(check: LinkedCheck, known: LinkedCheck): boolean {
  const [wide, narrow] = [check.rule, known.rule];
  if (wide.kind === 'enum')
    return narrow.kind === 'enum' && narrow.values.every((value) => wide.values.includes(value));
  if (narrow.kind === 'enum') return false;
  return BigInt(narrow.min) >= BigInt(wide.min) && BigInt(narrow.max) <= BigInt(wide.max);
}

function createIndex({ before, after }: TableChange, index: LinkedIndex, former: FormerNames): PlannedAction {
  const action: PlanAction = { kind: 'create_index', table: after.name, index, populated: true };
  const step = planned(after, action, index.columns.length === 1 ? index.columns[0] : undefined);
  return { ...step, checks: index.unique ? uniqueChecks(before, after, index, former) : [] };
}

/** A new column in a unique index has either no values or the same default in all rows. */
function uniqueChecks(
  before: LinkedTable,
  after: LinkedTable,
  index: LinkedIndex,
  former: FormerNames,
): readonly DataCheck[] {
  const columns = index.columns.map((name) => former.column(after.name, name)?.name);
  const known = columns.filter((name) => name !== undefined);
  if (known.length === columns.length) {
    const isDeletable = index.live && before.columns.some((column) => column.name === 'deleted_at');
    return [uniqueCheck(before.name, known, isDeletable ? `${q('deleted_at')} IS NULL` : undefined)];
  }
  const fresh = after.columns.filter((column) => index.columns.includes(column.name));
  const same = fresh.find((column) => column.default !== undefined && !column.identity);
  return known.length === 0 && same && fresh.length === 1 ? [singleRowCheck(before.name, same)] : [];
}

function addForeignKey(
  change: TableChange,
  foreignKey: LinkedForeignKey,
  former: FormerNames,
): readonly PlannedAction[] {
  const { before, after } = change;
  const table = after.name;
  const add: PlanAction = { kind: 'add_foreign_key', table, foreignKey, populated: true };
  const validate: PlanAction = { kind: 'validate_foreign_key', table, foreignKey };
  const column = former.column(table, foreignKey.column);
  const target = former.table(foreignKey.targetTable);
  const targetColumn = former.column(foreignKey.targetTable, foreignKey.targetColumn);
  const to = target && targetColumn ? { table: target.name, column: targetColumn.name } : undefined;
  const checks = column ? [foreignKeyCheck(before.name, column.name, to)] : [];
  return [{ ...planned(after, add, foreignKey.column), checks }, planned(after, validate, foreignKey.column)];
}
