import { hash } from 'node:crypto';
import type { SchemaModel, LinkedColumn, LinkedTable } from '../../model/schema-model.types.js';
import { modelHash } from '../snapshot/schema-snapshot.js';
import { actionSql, concurrentSql } from './action-sql.js';
import type { CastDirection } from './column-casts.js';
import type { ActionKind, PlanAction, PlannedAction, PlanStep, SchemaPlan } from './plan.types.js';
import { changeTable, createTable, dropTable } from './diff-tables.js';
import { movedLinks, linkedPairs } from './moved-links.js';
import { differentSchemas, formerNames, tablesById, orderRenames } from './plan-names.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Plans the steps from one model to another by stable ids. `version` is the version of `before` and part of archived names. `archived`
 * contains names in `before` that a rename restores.
 */
export function planChange(
  before: SchemaModel,
  after: SchemaModel,
  version: number,
  archived = NOTHING,
  direction: CastDirection = 'forward',
): SchemaPlan {
  const actions = diffModels(before, after, version, direction);
  const steps = actions.map((planned) => planStep({ ...planned, action: restoring(planned.action, archived) }));
  const statements = steps.flatMap((step) => [...step.sql, ...(step.concurrentSql ?? []), step.lossSql ?? '']);
  const checks = steps.flatMap((step) => step.checks.map((check) => check.countSql));
  const facts = JSON.stringify([modelHash(before), modelHash(after), statements, checks]);
  return {
    steps,
    losesData: steps.some((step) => step.losesData),
    hash: hash('sha256', facts),
  };
}

function planStep({ action, schema, field, checks = [], lossSql }: PlannedAction): PlanStep {
  const concurrent = concurrentSql(action);
  const archived = archivedOf(action);
  return {
    kind: action.kind,
    schema,
    ...(field ? { field } : {}),
    table: action.table,
    words: describeAction(action),
    sql: actionSql(action),
    ...(concurrent ? { concurrentSql: concurrent } : {}),
    phase: action.kind === 'validate_foreign_key' ? 'post_commit' : 'transaction',
    losesData: lossSql !== undefined,
    ...(lossSql ? { lossSql } : {}),
    checks,
    ...(archived ? { archived } : {}),
    ...(action.kind === 'restore_table' ? { restores: action.table } : {}),
    ...(action.kind === 'restore_column' ? { restores: action.column } : {}),
  };
}

function restoring(action: PlanAction, archived: ReadonlySet<string>): PlanAction {
  if (action.kind === 'rename_table' && archived.has(action.table)) return { ...action, kind: 'restore_table' };
  if (action.kind === 'rename_column' && archived.has(action.column)) return { ...action, kind: 'restore_column' };
  return action;
}

function archivedOf(action: PlanAction): PlanStep['archived'] {
  if (action.kind === 'archive_table') return { table: action.archived };
  return action.kind === 'archive_column' ? { table: action.table, column: action.archived } : undefined;
}

const DESCRIPTIONS: { readonly [K in ActionKind]: (action: PlanAction<K>) => string } = {
  create_table: ({ table, definition }) => `Creates the table "${table}" with ${definition.columns.length} columns.`,
  archive_table: ({ table, archived }) => `Drops the table "${table}"; it is kept as "${archived}" until it is purged.`,
  rename_table: ({ table, to }) => `Renames the table "${table}" to "${to}".`,
  rename_column: ({ table, column, to }) => `Renames the column "${column}" of "${table}" to "${to}".`,
  restore_table: ({ to }) => `Restores the table "${to}" with its rows.`,
  restore_column: ({ table, to }) =>
    `Restores the column "${to}" of "${table}" with its values; newer rows have no value.`,
  copy_links: ({ table, to, schema, field }) => {
    const target =
      to === undefined ? `table "${table}"` : `column "${to}" of "${table}", which can contain one link per row`;
    return `Copies the links of "${field}" of "${schema}" into the ${target}.`;
  },
  rename_index: ({ index, to }) => `Renames the index "${index}" to "${to}".`,
  rename_constraint: ({ table, constraint, to }) => `Renames the constraint "${constraint}" of "${table}" to "${to}".`,
  create_index: ({ table, index }) =>
    `Creates ${index.unique ? 'a unique' : 'an'} index on ${joinColumns(index.columns)} of "${table}".`,
  drop_index: ({ table, index }) => `Drops the index on ${joinColumns(index.columns)} of "${table}".`,
  add_check: ({ table, check }) => `Limits the values of "${check.column}" of "${table}".`,
  drop_check: ({ table, check }) => `Removes the limit on the values of "${check.column}" of "${table}".`,
  add_foreign_key: ({ table, foreignKey: { column, targetTable } }) =>
    `Adds a foreign key from "${column}" of "${table}" to "${targetTable}".`,
  drop_foreign_key: ({ table, foreignKey }) => `Drops the foreign key on "${foreignKey.column}" of "${table}".`,
  validate_foreign_key: ({ table, foreignKey }) => `Checks the references in "${foreignKey.column}" of "${table}".`,
  add_column: ({ table, column: { name, nullable, sqlType } }) =>
    `Adds the ${nullable ? 'optional' : 'required'} column "${name}" (${sqlType}) to "${table}".`,
  archive_column: (action) =>
    `Drops the column ${columnOf(action)}; it is kept as "${action.archived}" until it is purged.`,
  change_type: (action) =>
    `Changes the type of ${columnOf(action)} from ${action.from.sqlType} to ${action.column.sqlType}.`,
  set_not_null: (action) =>
    action.column.default === undefined
      ? `Makes ${columnOf(action)} required.`
      : `Fills empty values of ${columnOf(action)} with the default and makes it required.`,
  drop_not_null: (action) => `Makes ${columnOf(action)} optional.`,
  set_default: (action) => `Sets the default of ${columnOf(action)}.`,
  drop_default: (action) => `Drops the default of ${columnOf(action)}.`,
  add_identity: (action) => `Makes ${columnOf(action)} an identity column.`,
  drop_identity: (action) => `Removes the identity from ${columnOf(action)}.`,
};

export function describeAction<K extends ActionKind>(action: PlanAction<K>): string {
  const describe = DESCRIPTIONS[action.kind] as (action: PlanAction<K>) => string;
  return describe(action);
}

function columnOf({ table, column }: { readonly table: string; readonly column: LinkedColumn }): string {
  return `"${column.name}" of "${table}"`;
}

function joinColumns(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

const ORDER: Readonly<Record<ActionKind, number>> = {
  drop_foreign_key: 1,
  drop_index: 2,
  drop_check: 2,
  archive_table: 3,
  archive_column: 4,
  rename_table: 5,
  rename_column: 6,
  restore_table: 5,
  restore_column: 6,
  rename_index: 7,
  rename_constraint: 7,
  create_table: 8,
  add_column: 9,
  copy_links: 10,
  drop_default: 11,
  drop_identity: 11,
  change_type: 11,
  set_not_null: 11,
  drop_not_null: 11,
  add_identity: 11,
  set_default: 11,
  add_check: 12,
  create_index: 13,
  add_foreign_key: 14,
  validate_foreign_key: 15,
};

/** Returns the actions from one model to another, in execution order. Schemas with the same object in both are skipped. */
export function diffModels(
  before: SchemaModel,
  after: SchemaModel,
  version: number,
  direction: CastDirection = 'forward',
): readonly PlannedAction[] {
  const [oldSchemas, currentSchemas] = [differentSchemas(before, after), differentSchemas(after, before)];
  const [old, current] = [tablesById(oldSchemas), tablesById(currentSchemas)];
  const former = formerNames(old, current, after, direction);
  const dropped = [...old.values()].filter((table) => table.managed && !current.has(table.id));
  const matched = [...current.values()].flatMap((table): readonly { before: LinkedTable; after: LinkedTable }[] => {
    const existing = old.get(table.id) ?? (table.managed ? undefined : withoutPlannedParts(table));
    return existing && existing !== table ? [{ before: existing, after: table }] : [];
  });
  const created = [...current.values()].filter((table) => table.managed && !old.has(table.id));
  const moved = movedLinks(linkedPairs(oldSchemas, before), linkedPairs(currentSchemas, after), version);
  const actions = [
    ...dropped.flatMap((table) => dropTable(table, version, moved)),
    ...renamedTables(matched),
    ...created.flatMap(createTable),
    ...matched.flatMap((change) => changeTable({ ...change, version, moved, direction, former })),
    ...moved.actions,
  ];
  // Sorting is stable: within one kind, the order of tables and columns stays.
  return actions.sort((a, b) => ORDER[a.action.kind] - ORDER[b.action.kind]);
}

/** Returns a migration-managed table as it was before fields were added. */
function withoutPlannedParts(table: LinkedTable): LinkedTable {
  const columns = table.columns.filter((column) => !column.managed);
  return { ...table, columns, indexes: [], checks: [], foreignKeys: [] };
}

function renamedTables(matched: readonly { before: LinkedTable; after: LinkedTable }[]): readonly PlannedAction[] {
  const schemas = new Map(matched.map(({ after }) => [after.name, after.schema]));
  const renames = matched
    .filter(({ after }) => after.managed)
    .map((change) => ({ from: change.before.name, to: change.after.name }));
  return orderRenames(renames).map(({ from, to }) => {
    const schema = schemas.get(to) ?? schemas.get(from) ?? '';
    return { action: { kind: 'rename_table', table: from, to }, schema };
  });
}
