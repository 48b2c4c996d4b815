import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LinkedColumn, LinkedTable } from '../../model/schema-model.types.js';
import { type CastDirection, columnCast, preservesValues, needsCast } from './column-casts.js';
import { castCheck, columnsCheck, countSql, emptyTableCheck, notNullCheck } from './data-checks.js';
import type { MovedLinks } from './moved-links.js';
import { archivedName, type FormerNames, orderRenames, planned } from './plan-names.js';
import type { DataCheck, PlanAction, PlannedAction } from './plan.types.js';

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

export function diffColumns(change: TableChange): ColumnChanges {
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
