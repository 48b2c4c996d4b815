import { AppError } from '../../../kernel/errors/app-error.js';
import { runSteps } from '../../../kernel/pauses.js';
import { type CastDirection, opposite } from '../plan/column-casts.js';
import { planChange, diffModels } from '../plan/plan-change.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { changeTo, initialSnapshot, type PreparedChange } from './prepare-change.js';
import { plainRecord } from '../../model/plain-record.js';
import type { LinkedColumn, LinkedSchema, LinkedTable, SchemaModel } from '../../model/schema-model.types.js';
import type { PlanAction } from '../plan/plan.types.js';

export interface FormerVersion {
  /** Null if the last change was the first. */
  readonly snapshot: SchemaSnapshot | null;
  readonly lossy: boolean;
  /** Direction in which the last change converted values. The undo converts in the opposite direction. */
  readonly direction: CastDirection;
}

/**
 * Prepares the change back to the previous version, by stable ids. Throws `undo_impossible` if there is no change, or if it converted
 * values with loss.
 */
export function prepareUndo(current: SchemaSnapshot, former: FormerVersion): PreparedChange {
  if (current.version === 0) throw new AppError('undo_impossible', { message: 'There is no change to undo.' });
  const before = former.snapshot ?? initialSnapshot(current.system);
  if (former.lossy) assertConvertible(before, current, former.direction);
  const { model, archived } = withArchived(before, current, before.version, former.direction);
  const plan = planChange(model, before, current.version, archived, opposite(former.direction));
  return runSteps(changeTo(before, current, plan));
}

function assertConvertible(before: SchemaSnapshot, current: SchemaSnapshot, direction: CastDirection): void {
  const { steps } = planChange(before, current, before.version, undefined, direction);
  const converted = steps.filter((step) => step.losesData && step.archived === undefined);
  if (converted.length === 0) return;
  const message = 'The last change converted values, and an undo could not restore the original values.';
  throw new AppError('undo_impossible', { message, details: { steps: converted.map(({ words }) => ({ words })) } });
}

/**
 * Adds the objects that the change from `before` archived to `current`, so that the reverse plan renames them instead of creating them.
 * `version` is the version of `before`, `direction` the direction of the change.
 */
export function withArchived(
  before: SchemaModel,
  current: SchemaModel,
  version: number,
  direction: CastDirection = 'forward',
): { readonly model: SchemaModel; readonly archived: ReadonlySet<string> } {
  // Objects archived without data loss are created again. Their links are copied back from the current tables.
  const lost = diffModels(before, current, version, direction).filter(({ lossSql }) => lossSql !== undefined);
  const actions = lost.map(({ action }) => action);
  const tables = actions.filter((action) => action.kind === 'archive_table');
  const columns = actions.filter((action) => action.kind === 'archive_column');
  const former = new Map(
    Object.values(before.schemas).flatMap(({ table, junctions }) =>
      [table, ...junctions].map((one) => [one.name, one]),
    ),
  );
  const schemas = Object.values(current.schemas).map((schema): [string, LinkedSchema] => {
    const own = columns.filter(({ table }) => former.get(table)?.id === schema.table.id);
    return [schema.name, own.length === 0 ? schema : { ...schema, table: withArchivedColumns(schema.table, own) }];
  });
  for (const action of tables) {
    const table = former.get(action.table);
    const owner = table && before.schemas[table.schema];
    // No schema can have such a name. Only its table matters, because plans identify tables by id.
    if (owner)
      schemas.push([action.archived, { ...owner, table: archivedTable(table, action), junctions: [], fields: {} }]);
  }
  return {
    model: { schemas: plainRecord(schemas) },
    archived: new Set([...tables, ...columns].map(({ archived }) => archived)),
  };
}

/** Archived tables have no indexes and foreign keys. */
function archivedTable(table: LinkedTable, { archived, archivedPrimaryKey }: PlanAction<'archive_table'>): LinkedTable {
  const primaryKey = { ...table.primaryKey, name: archivedPrimaryKey };
  return { ...table, name: archived, primaryKey, indexes: [], foreignKeys: [] };
}

/** Archived columns have no constraints and no default. A column that replaced one with the same id gets another id. */
function withArchivedColumns(table: LinkedTable, actions: readonly PlanAction<'archive_column'>[]): LinkedTable {
  const archived = actions.map(({ column: { default: _default, ...column }, archived: name }): LinkedColumn => {
    return { ...column, name, nullable: true, identity: false };
  });
  const ids = new Set(archived.map(({ id }) => id));
  const replaced = new Set(table.columns.filter(({ id }) => ids.has(id)).map(({ name }) => name));
  const another = <T extends { readonly key: string }>(object: T, columns: readonly string[]): T =>
    columns.some((name) => replaced.has(name)) ? { ...object, key: `replaced ${object.key}` } : object;
  const columns = table.columns.map((column) =>
    ids.has(column.id) ? { ...column, id: `replaced ${column.id}` } : column,
  );
  return {
    ...table,
    columns: [...columns, ...archived],
    indexes: table.indexes.map((index) => another(index, index.columns)),
    checks: table.checks.map((check) => another(check, [check.column])),
    foreignKeys: table.foreignKeys.map((key) => another(key, [key.column])),
  };
}
