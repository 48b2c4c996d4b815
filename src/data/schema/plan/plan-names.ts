import { fittedIdentifier, shortHash } from '../../model/identifiers.js';
import type { PlanAction, PlannedAction } from './plan.types.js';
import { type CastDirection, preservesValues } from './column-casts.js';
import type { LinkedColumn, LinkedSchema, LinkedTable, SchemaModel } from '../../model/schema-model.types.js';

/** Returns the name of an archived table or column: at most 63 bytes, unique by id and version. */
export function archivedName(name: string, id: string, version: number): string {
  return fittedIdentifier(`_dropped_${name}`, `${shortHash(id, 6)}_v${version}`);
}

/** @param field the affected field, if there is one. */
export function planned({ schema }: LinkedTable, action: PlanAction, field?: string): PlannedAction {
  return { action, schema, ...(field ? { field } : {}) };
}

/** Compares by object identity, which is sufficient because unchanged schemas keep their object. */
export function differentSchemas({ schemas }: SchemaModel, other: SchemaModel): readonly LinkedSchema[] {
  return Object.values(schemas).filter((schema) => other.schemas[schema.name] !== schema);
}

export function tablesById(schemas: readonly LinkedSchema[]): ReadonlyMap<string, LinkedTable> {
  const tables = schemas.flatMap(({ table, junctions }) => [table, ...junctions]);
  return new Map(tables.map((table) => [table.id, table]));
}

/** Finds tables and columns of the new model in the previous one. Replaced columns have no former column. */
export interface FormerNames {
  table(name: string): LinkedTable | undefined;
  column(table: string, column: string): LinkedColumn | undefined;
}

export function formerNames(
  before: ReadonlyMap<string, LinkedTable>,
  after: ReadonlyMap<string, LinkedTable>,
  model: SchemaModel,
  direction: CastDirection,
): FormerNames {
  const byName = new Map([...after.values()].map((table) => [table.name, table]));
  const table = (name: string) => {
    const current = byName.get(name);
    if (current === undefined) return Object.values(model.schemas).find((schema) => schema.table.name === name)?.table;
    // Migration-managed tables exist before any plan.
    return before.get(current.id) ?? (current.managed ? undefined : current);
  };
  return {
    table,
    column: (tableName, name) => {
      const former = table(tableName);
      const current = (byName.get(tableName) ?? former)?.columns.find((column) => column.name === name);
      return (
        current &&
        former?.columns.find((column) => column.id === current.id && preservesValues(column, current, direction))
      );
    },
  };
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

/** Orders renames so that each new name is free. Swapped names use a temporary name, which adds an entry. */
export function orderRenames(renames: readonly Rename[]): readonly Rename[] {
  const pending = renames.filter((rename) => rename.from !== rename.to);
  const ordered: Rename[] = [];
  while (pending.length > 0) {
    const occupied = new Set(pending.map((rename) => rename.from));
    const free = pending.findIndex((rename) => !occupied.has(rename.to));
    const [next] = pending.splice(Math.max(free, 0), 1);
    if (next === undefined) break;
    if (free >= 0) {
      ordered.push(next);
      continue;
    }
    const temporary = fittedIdentifier('_renaming', shortHash(`${next.from}\n${next.to}`, 16));
    ordered.push({ from: next.from, to: temporary });
    pending.push({ from: temporary, to: next.to });
  }
  return ordered;
}
