import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type CastDirection, opposite } from '../plan/column-casts.js';
import { differentSchemas } from '../plan/plan-names.js';
import { planChange } from '../plan/plan-change.js';
import { followNames } from '../snapshot/name-history.js';
import { createSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { initialSnapshot, type PreparedChange } from './prepare-change.js';
import { plainRecord } from '../../model/plain-record.js';
import type {
  LinkedColumn,
  LinkedField,
  LinkedSchema,
  LinkedTable,
  SchemaModel,
} from '../../model/schema-model.types.js';
import { diffModels } from '../plan/diff-models.js';
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
  const changed = differentSchemas(before, current).filter(
    ({ name, definition }) => !isDeepStrictEqual(definition, current.schemas[name]?.definition),
  );
  const version = current.version + 1;
  const history = followNames(current.history, current, before, version);
  return {
    ok: true,
    snapshot: createSnapshot({ schemas: before.schemas }, version, current.system, history),
    plan: planChange(model, before, current.version, archived, opposite(former.direction)),
    changed: changed.map(({ name }) => name),
    removed: Object.keys(current.schemas).filter((name) => before.schemas[name] === undefined),
  };
}

function assertConvertible(before: SchemaSnapshot, current: SchemaSnapshot, direction: CastDirection): void {
  const { steps } = planChange(before, current, before.version, undefined, direction);
  const converted = steps.filter((step) => step.losesData && step.archived === undefined);
  if (converted.length === 0) return;
  const message = 'The last change converted values, and an undo could not bring back what they were.';
  throw new AppError('undo_impossible', { message, details: { steps: converted.map(({ words }) => ({ words })) } });
}

interface ModelWithArchived {
  readonly model: SchemaModel;
  readonly archived: ReadonlySet<string>;
}

type Archiving<K extends PlanAction['kind']> = Extract<PlanAction, { readonly kind: K }>;

/**
 * Adds the objects that the change from `before` archived to `current`, so that the reverse plan renames them instead of creating them.
 * `version` is the version of `before`, `direction` the direction of the change.
 */
export function withArchived(
  before: SchemaModel,
  current: SchemaModel,
  version: number,
  direction: CastDirection = 'forward',
): ModelWithArchived {
  // Objects archived without data loss are created again. Their links are copied back from the current tables.
  const lost = diffModels(before, current, version, direction).filter(({ lossSql }) => lossSql !== undefined);
  const actions = lost.map(({ action }) => action);
  const tables = actions.filter((action) => action.kind === 'archive_table');
  const columns = actions.filter((action) => action.kind === 'archive_column');
  const former = tablesByName(before);
  const byTable = new Map<string, Archiving<'archive_column'>[]>();
  for (const action of columns) {
    const id = former.get(action.table)?.id ?? '';
    byTable.set(id, [...(byTable.get(id) ?? []), action]);
  }
  const kept = Object.values(current.schemas).map((schema) => [schema.name, withColumns(schema, byTable)] as const);
  const dropped = tables.flatMap((action) => {
    const table = former.get(action.table);
    const owner = table && before.schemas[table.schema];
    // No schema can have such a name. Only its table matters, because plans identify tables by id.
    return owner
      ? [
          [
            action.archived,
            { ...owner, table: archivedTable(table, action), junctions: [], fields: plainRecord<LinkedField>([]) },
          ] as const,
        ]
      : [];
  });
  return {
    model: { schemas: plainRecord([...kept, ...dropped]) },
    archived: new Set([...tables, ...columns].map(({ archived }) => archived)),
  };
}

function tablesByName({ schemas }: SchemaModel): ReadonlyMap<string, LinkedTable> {
  const tables = Object.values(schemas).flatMap(({ table, junctions }) => [table, ...junctions]);
  return new Map(tables.map((table) => [table.name, table]));
}

/** Archived tables have no indexes and foreign keys. */
function archivedTable(table: LinkedTable, { archived, archivedPrimaryKey }: Archiving<'archive_table'>): LinkedTable {
  const primaryKey = { ...table.primaryKey, name: archivedPrimaryKey };
  return { ...table, name: archived, primaryKey, indexes: [], foreignKeys: [] };
}

function withColumns(
  schema: LinkedSchema,
  columns: ReadonlyMap<string, readonly Archiving<'archive_column'>[]>,
): LinkedSchema {
  const of = columns.get(schema.table.id);
  return of === undefined ? schema : { ...schema, table: withArchivedColumns(schema.table, of) };
}

/** A column that replaced one with the same id gets another id. */
function withArchivedColumns(table: LinkedTable, actions: readonly Archiving<'archive_column'>[]): LinkedTable {
  const archived = actions.map(({ column, archived }) => archivedColumn(column, archived));
  const ids = new Set(archived.map(({ id }) => id));
  const replaced = new Set(table.columns.filter(({ id }) => ids.has(id)).map(({ name }) => name));
  const another = <T extends { readonly key: string }>(object: T, isReplaced: boolean): T =>
    isReplaced ? { ...object, key: `replaced ${object.key}` } : object;
  return {
    ...table,
    columns: [
      ...table.columns.map((column) => (ids.has(column.id) ? { ...column, id: `replaced ${column.id}` } : column)),
      ...archived,
    ],
    indexes: table.indexes.map((index) =>
      another(
        index,
        index.columns.some((name) => replaced.has(name)),
      ),
    ),
    checks: table.checks.map((check) => another(check, replaced.has(check.column))),
    foreignKeys: table.foreignKeys.map((key) => another(key, replaced.has(key.column))),
  };
}

/** Archived columns have no constraints and no default. */
function archivedColumn({ default: _default, ...column }: LinkedColumn, archived: string): LinkedColumn {
  return { ...column, name: archived, nullable: true, identity: false };
}
