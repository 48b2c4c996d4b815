import { fittedIdentifier, shortHash } from '../model/identifiers.js';
import { keepsValues } from './column-casts.js';
import type { LinkedColumn, LinkedTable, SchemaModel } from '../model/schema-model.types.js';

/** The name under which something that is dropped is kept: at most 63 bytes, unique by its id and the version. */
export function asideName(name: string, id: string, version: number): string {
  return fittedIdentifier(`_dropped_${name}`, `${shortHash(id, 6)}_v${version}`);
}

/** All tables of a model, junctions included, by id. */
export function tablesById(model: SchemaModel): ReadonlyMap<string, LinkedTable> {
  const tables = Object.values(model.schemas).flatMap((schema) => [schema.table, ...schema.junctions]);
  return new Map(tables.map((table) => [table.id, table]));
}

/** Finds what something of the new model was before; a column that gives way to a new one was nothing. */
export interface FormerNames {
  table(name: string): LinkedTable | undefined;
  column(table: string, column: string): LinkedColumn | undefined;
}

/** Looks tables and columns of the new model up in the old one, by their stable ids. */
export function formerNames(
  before: ReadonlyMap<string, LinkedTable>,
  after: ReadonlyMap<string, LinkedTable>,
): FormerNames {
  const byName = new Map([...after.values()].map((table) => [table.name, table]));
  const table = (name: string) => {
    const current = byName.get(name);
    // Tables that migrations make are there before any plan.
    return current && (before.get(current.id) ?? (current.managed ? undefined : current));
  };
  return {
    table,
    column: (tableName, name) => {
      const current = byName.get(tableName)?.columns.find((column) => column.name === name);
      return (
        current && table(tableName)?.columns.find((column) => column.id === current.id && keepsValues(column, current))
      );
    },
  };
}
