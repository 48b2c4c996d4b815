import type { LinkedColumn, LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { QueryShape, SeenQuery } from '../../model/query-shape.types.js';

/** Maximum columns of an index. Further columns hardly improve selectivity. @internal */
const MOST_COLUMNS = 4;

export interface WantedIndex {
  readonly schema: LinkedSchema;
  readonly columns: readonly LinkedColumn[];
  readonly shape: QueryShape;
  /** Number of lists with this shape, or with another shape that the same index serves. */
  readonly seen: number;
  readonly milliseconds: number;
}

/** Returns true if an existing index makes a new one over these columns unnecessary. */
export type IsServed = (indexes: readonly (readonly string[])[], columns: readonly string[], equal: number) => boolean;

/** Returns true if an index begins with all equality columns, or with the first column. A further index may then be of little use. */
export const isBegun: IsServed = (indexes, columns, equal) =>
  indexes.some((of) => beginsWith(of, columns, equal, Math.max(1, equal)));

export const isWhole: IsServed = (indexes, columns, equal) =>
  indexes.some((of) => beginsWith(of, columns, equal, columns.length));

/**
 * Returns the missing indexes: for each shape the equality columns, then the sort columns, or range columns if there is no order. Shapes
 * with removed schemas or columns, and shapes served by an index, are skipped.
 *
 * @param seen query shapes of lists.
 * @returns sorted by total time, descending.
 */
export function wantedIndexes(
  model: SchemaModel,
  seen: readonly SeenQuery[],
  isServed: IsServed,
): readonly WantedIndex[] {
  const schemas = new Map(Object.values(model.schemas).map((schema) => [schema.id, schema]));
  const wanted = new Map<string, WantedIndex>();
  for (const query of seen) {
    const schema = schemas.get(query.shape.schema);
    if (schema === undefined || !schema.table.managed) continue;
    const columns = columnsFor(schema, query.shape);
    const names = columns.map(({ name }) => name);
    if (columns.length === 0 || isServed(indexesOf(schema), names, query.shape.equal.length)) continue;
    const key = JSON.stringify([schema.id, ...columns.map(({ id }) => id)]);
    const known = wanted.get(key) ?? { schema, columns, shape: query.shape, seen: 0, milliseconds: 0 };
    const [times, milliseconds] = [known.seen + query.seen, known.milliseconds + query.milliseconds];
    wanted.set(key, { ...known, seen: times, milliseconds });
  }
  return [...wanted.values()].sort((one, other) => other.milliseconds - one.milliseconds);
}

function columnsFor({ table }: LinkedSchema, { equal, ranges, order }: QueryShape): readonly LinkedColumn[] {
  const byId = new Map(table.columns.map((column) => [column.id, column]));
  const ids = [...new Set([...equal, ...(order.length === 0 ? ranges : order)])];
  const columns = ids.map((id) => byId.get(id)).filter((column) => column !== undefined);
  return columns.length === ids.length ? columns.slice(0, MOST_COLUMNS) : [];
}

function indexesOf({ table }: LinkedSchema): readonly (readonly string[])[] {
  const others = table.indexes.filter(({ method, live }) => method === 'btree' && !live);
  return [table.primaryKey.columns, ...others.map(({ columns }) => columns)];
}

/** Returns true if an index serves a query. Equality columns may be in any order, but must come first. */
function beginsWith(index: readonly string[], columns: readonly string[], equal: number, length: number): boolean {
  const [values, rest] = [columns.slice(0, Math.min(equal, length)), columns.slice(equal, length)];
  const begun = new Set(index.slice(0, values.length));
  return values.every((name) => begun.has(name)) && rest.every((name, at) => index[values.length + at] === name);
}
