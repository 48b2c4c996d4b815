import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import type { QueryFaults } from '../request/query-faults.js';
import { allOf } from '../resolve/conditions.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { FilterResolver } from '../resolve/resolve-filter.js';
import { Placeholder } from '../resolve/placeholder.js';
import { resolveSort } from '../resolve/resolve-sort.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import { filterValue, comparedAs } from '../resolve/sql-value.js';
import { afterCursor } from './after-cursor.js';
import { RecordPlanner } from './plan-record.js';
import type { ListPlan, RecordPlan } from './query-plan.types.js';

/**
 * Plans a list; names that may not be used are noted.
 *
 * @param after the keys of the last record of the page before; null for the first.
 */
export function planList(
  schema: LinkedSchema,
  query: ListQuery,
  fields: FieldResolver,
  after: readonly (string | Placeholder | null)[] | null,
  faults: QueryFaults,
): ListPlan {
  const filters = new FilterResolver(fields, faults);
  const chosen = query.filter === null ? ALWAYS : filters.resolve(query.filter, schema, 'list');
  const counted = allOf([fields.visible(schema, 'list', query.withDeleted), chosen]);
  const sort = resolveSort(query.sort, schema, 'list', fields, faults);
  const record = new RecordPlanner(fields, query, faults).plan(schema, 'list', query.limit);
  if (after !== null && after.length !== sort.length) faults.add('cursor', 'malformed');
  return {
    table: schema.table.name,
    where: after === null ? counted : allOf([counted, afterCursor(sort, after)]),
    sort,
    limit: query.limit,
    offset: (query.page - 1) * query.limit,
    byCursor: query.cursor !== null,
    countTo: query.count === 'none' ? 0 : query.count === 'capped' ? query.limits.cappedCount : null,
    counted,
    record,
  };
}

/** Plans one record by its key; null where no record can have it. Names that may not be used are noted. */
export function planRecord(
  schema: LinkedSchema,
  id: string | Placeholder,
  query: RecordQuery,
  fields: FieldResolver,
  faults: QueryFaults,
): RecordPlan | null {
  const record = new RecordPlanner(fields, query, faults).plan(schema, 'get', 1);
  const byKey = hasKey(schema, id, fields);
  if (byKey === null) return null;
  const where = allOf([byKey, fields.visible(schema, 'get', query.withDeleted)]);
  return { table: schema.table.name, where, record };
}

/** The record of a key as it stands in a path; null where it is no key. */
export function hasKey(schema: LinkedSchema, id: string | Placeholder, fields: FieldResolver): Condition | null {
  const primary = fields.primary(schema);
  const value = id instanceof Placeholder ? id : keyValue(id, primary.type);
  if (value === undefined) return null;
  return {
    kind: 'compare',
    comparison: '=',
    left: { kind: 'column', column: primary.column, guard: null },
    right: { kind: 'value', value, sqlType: comparedAs(primary.type) },
  };
}

/** A key as it stands in a path, as a parameter; undefined where it is none. */
export function keyValue(id: string, type: FieldType): unknown {
  return id.isWellFormed() && !id.includes('\0') ? filterValue(id, type) : undefined;
}
