import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import type { QueryFaults } from '../request/query-faults.js';
import { allOf, ALWAYS, anyOf, type Condition, NEVER, type Operand, ownColumn } from '../resolve/conditions.js';
import { hasKey, keyOf, primaryOf } from '../resolve/keys.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { FilterResolver, resolveSort } from '../resolve/resolve-query.js';
import { Placeholder } from '../resolve/placeholder.js';
import type { ResolvedRelation, ResolvedSort } from '../resolve/resolved.types.js';
import { comparedAs } from '../resolve/sql-values.js';
import { reachesField } from './reaches-field.js';
import { RecordPlanner } from './plan-record.js';
import type { ListPlan, RecordPlan } from './query-plan.types.js';

export interface LinkedRecords {
  readonly where: Condition;
  readonly order: readonly ResolvedSort[];
  readonly to: NonNullable<ListPlan['linkedTo']>;
}

/**
 * Plans a list. Adds an error for each name that may not be used.
 *
 * @param after sort keys of the last record of the previous page; null for the first page.
 * @param linked limits the list to the records of one relation of one record.
 */
export function planList(
  schema: LinkedSchema,
  query: ListQuery,
  fields: FieldResolver,
  after: readonly (string | Placeholder | null)[] | null,
  faults: QueryFaults,
  linked: LinkedRecords | null = null,
): ListPlan {
  const filters = new FilterResolver(fields, faults);
  const chosen = query.filter === null ? ALWAYS : filters.resolve(query.filter, schema, 'list');
  const visible = fields.visible(schema, 'list', query.withDeleted);
  const counted = allOf([...(linked === null ? [] : [linked.where]), visible, chosen]);
  const sort = [
    ...(query.sort.length === 0 ? (linked?.order ?? []) : []),
    ...resolveSort(query.sort, schema, 'list', fields, faults),
  ];
  const record = new RecordPlanner(fields, query, faults).plan(schema, 'list', query.limit);
  if (after !== null && after.length !== sort.length) faults.add('cursor', 'malformed');
  const countTo = query.count === 'none' ? 0 : query.count === 'capped' ? query.limits.cappedCount : null;
  // Conditions on other tables are expensive and an exact count evaluates them for all records. So they are evaluated once.
  const isDistinct = countTo === null && reachesField(() => true, [counted]);
  return {
    table: schema.table.name,
    where: after === null ? counted : allOf([counted, afterCursor(sort, after)]),
    sort,
    limit: query.limit,
    offset: (query.page - 1) * query.limit,
    byCursor: query.cursor !== null,
    countTo,
    counted,
    distinctKey: isDistinct ? keyOf(schema) : null,
    linkedTo: linked?.to ?? null,
    record,
  };
}

export function planRecord(
  schema: LinkedSchema,
  id: string | Placeholder,
  query: RecordQuery,
  fields: FieldResolver,
  faults: QueryFaults,
): RecordPlan | null {
  const record = new RecordPlanner(fields, query, faults).plan(schema, 'get', 1);
  const byKey = hasKey(schema, id);
  if (byKey === null) return null;
  const where = allOf([byKey, fields.visible(schema, 'get', query.withDeleted)]);
  return { table: schema.table.name, where, record };
}

/** Returns the condition for records after these sort keys. Null values sort last in ascending and first in descending order. */
export function afterCursor(sort: readonly ResolvedSort[], keys: readonly (string | Placeholder | null)[]): Condition {
  const alternatives = sort.map((key, index) => {
    const before = sort.slice(0, index).map((earlier, at) => isAt(earlier, keys[at] ?? null));
    return allOf([...before, isBeyond(key, keys[index] ?? null)]);
  });
  return allOf([...firstBound(sort, keys), anyOf(alternatives)]);
}

/**
 * Repeats the bound of the first sort key, which every alternative implies. An index scan can then start there instead of at the first
 * record.
 */
function firstBound(
  sort: readonly ResolvedSort[],
  [key = null]: readonly (string | Placeholder | null)[],
): Condition[] {
  const [first] = sort;
  if (first === undefined || sort.length === 1 || key === null) return [];
  const { operand, type, descending, nullable } = first;
  // In ascending order, null values are still to come.
  if (!descending && nullable) return [];
  return [{ kind: 'compare', comparison: descending ? '<=' : '>=', left: operand, right: value(key, type) }];
}

function isAt({ operand, type }: ResolvedSort, key: string | Placeholder | null): Condition {
  if (key === null) return { kind: 'not', of: { kind: 'present', of: operand } };
  return { kind: 'compare', comparison: '=', left: operand, right: value(key, type) };
}

function isBeyond({ operand, type, descending, nullable }: ResolvedSort, key: string | Placeholder | null): Condition {
  const present: Condition = { kind: 'present', of: operand };
  if (key === null) return descending ? present : NEVER;
  const right = value(key, type);
  const beyond: Condition = { kind: 'compare', comparison: descending ? '<' : '>', left: operand, right };
  return descending || !nullable ? beyond : anyOf([beyond, { kind: 'not', of: present }]);
}

function value(key: string | Placeholder, type: ResolvedSort['type']): Operand {
  return { kind: 'value', value: key, sqlType: comparedAs(type) };
}

export function linkedRecords(
  schema: LinkedSchema,
  { field, joinStep: { join, guard } }: ResolvedRelation,
  key: Placeholder,
  fields: FieldResolver,
): LinkedRecords {
  const primary = primaryOf(schema);
  const own: Operand = { kind: 'value', value: key, sqlType: comparedAs(primary.type) };
  const equals = (left: Operand): Condition => ({ kind: 'compare', comparison: '=', left, right: own });
  const byKey = equals(ownColumn(primary.column));
  const isJoinedByPrimaryKey = join.kind === 'direct' && join.ownColumn === primary.column;
  return {
    where: isJoinedByPrimaryKey
      ? equals(ownColumn(join.targetColumn))
      : { kind: 'exists', joinStep: { join: reversed(join, schema), where: byKey, guard: null }, where: ALWAYS },
    order: orderOf(field.id, join, own),
    to: {
      table: schema.table.name,
      where: allOf([byKey, fields.visible(schema, 'get'), ...(guard === null ? [] : [guard])]),
    },
  };
}

function reversed(join: RelationJoin, { table }: LinkedSchema): RelationJoin {
  const targets = { ownColumn: join.targetColumn, targetTable: table.name, targetColumn: join.ownColumn };
  if (join.kind === 'direct') return { kind: 'direct', holder: 'own', ...targets };
  const { junctionTable, junctionOwnColumn, junctionTargetColumn } = join;
  return {
    kind: 'junction',
    ...targets,
    junctionTable,
    junctionOwnColumn: junctionTargetColumn,
    junctionTargetColumn: junctionOwnColumn,
  };
}

function orderOf(id: string, join: RelationJoin, own: Operand): readonly ResolvedSort[] {
  if (join.kind !== 'junction' || join.junctionOrderColumn === undefined) return [];
  const operand: Operand = { kind: 'place', join, order: join.junctionOrderColumn, of: own };
  return [{ identity: `${id} place`, operand, type: 'int64', descending: false, nullable: false }];
}
