import { fittedIdentifier, shortHash } from '../model/identifiers.js';
import { keepsValues } from './column-casts.js';
import type { LinkedColumn, LinkedTable, SchemaModel } from '../model/schema-model.types.js';

/** The name under which something that is dropped is kept: at most 63 bytes, unique by its id and the version. */
export function asideName(name: string, id: string, version: number): string {
  return fittedIdentifier(`_dropped_${name}`, `${shortHash(id, 6)}_v${version}`);
}

/** The tables of a model by id, junctions included, without those of schemas that are the same object in the other one. */
export function differentTables(model: SchemaModel, other: SchemaModel): ReadonlyMap<string, LinkedTable> {
  const tables = new Map<string, LinkedTable>();
  for (const [name, schema] of Object.entries(model.schemas)) {
    if (other.schemas[name] === schema) continue;
    for (const table of [schema.table, ...schema.junctions]) tables.set(table.id, table);
  }
  return tables;
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
  model: SchemaModel,
): FormerNames {
  const byName = new Map([...after.values()].map((table) => [table.name, table]));
  const table = (name: string) => {
    const current = byName.get(name);
    if (current === undefined) return untouchedTable(model, name);
    // Tables that migrations make are there before any plan.
    return before.get(current.id) ?? (current.managed ? undefined : current);
  };
  return {
    table,
    column: (tableName, name) => {
      const former = table(tableName);
      const current = (byName.get(tableName) ?? former)?.columns.find((column) => column.name === name);
      return current && former?.columns.find((column) => column.id === current.id && keepsValues(column, current));
    },
  };
}

/** A table of a schema that is the same in both models. */
function untouchedTable({ schemas }: SchemaModel, name: string): LinkedTable | undefined {
  return Object.values(schemas).find((schema) => schema.table.name === name)?.table;
}
