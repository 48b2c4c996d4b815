import type { LinkedTable, SchemaModel } from '../../model/schema-model.types.js';
import { changeTable, createTable, dropTable } from './diff-tables.js';
import type { CastDirection } from './column-casts.js';
import { movedLinks, linkedPairs } from './moved-links.js';
import { differentSchemas, formerNames, tablesById, orderRenames } from './plan-names.js';
import type { ActionKind, PlannedAction } from './plan.types.js';

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
