import { plainRecord } from '../../model/plain-record.js';
import type {
  LinkedColumn,
  LinkedField,
  LinkedSchema,
  LinkedTable,
  SchemaModel,
} from '../../model/schema-model.types.js';
import type { CastDirection } from './column-casts.js';
import { diffModels } from './diff-models.js';
import type { PlanAction } from './plan.types.js';

/** A model with what the change before it has archived, so that a plan can bring it back with its data. */
export interface ModelWithArchived {
  readonly model: SchemaModel;
  /** The names under which things are kept aside. */
  readonly archived: ReadonlySet<string>;
}

type Archiving<K extends PlanAction['kind']> = Extract<PlanAction, { readonly kind: K }>;

/**
 * Adds to `current` the tables and columns that the change from `before` archived, under the names that they are kept
 * by: a plan from there back to `before` renames them back instead of making them anew. `version` is that of `before`,
 * `direction` that of the change.
 */
export function withArchived(
  before: SchemaModel,
  current: SchemaModel,
  version: number,
  direction: CastDirection = 'forward',
): ModelWithArchived {
  // What loses nothing by being archived is made anew: its links are copied back from where they are now.
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
    // No schema can have such a name, and this one has nothing but its table: a plan knows tables by their ids.
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

/** Returns what a table is once it was archived: its indexes and foreign keys are gone. */
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

/**
 * Returns the table with its archived columns. A column that took the place of one with the same id gives the id back: it is another
 * one.
 */
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

/** Returns what a column is once it was archived: it asks for nothing. */
function archivedColumn({ default: _default, ...column }: LinkedColumn, archived: string): LinkedColumn {
  return { ...column, name: archived, nullable: true, identity: false };
}
