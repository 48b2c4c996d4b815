import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import type { QueryFaults } from '../request/query-faults.js';
import {
  allOf,
  ALWAYS,
  anyOf,
  type Condition,
  NEVER,
  type Operand,
  ownColumn,
  type ResolvedRelation,
  type ResolvedSort,
  type ContentAction,
  type ResolvedValue,
} from '../resolve/conditions.js';
import { hasKey, keyOf, primaryOf, Placeholder, comparedAs } from '../resolve/sql-values.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { FilterResolver, resolveSort, resolveValuePath } from '../resolve/resolve-query.js';
import { reachesField } from './reaches-field.js';
import { RecordPlanner } from './plan-record.js';
import type { ListPlan, RecordPlan, PlannedColumn } from './query-plan.types.js';
import { fieldType } from '../../model/field-types.js';
import type { AggregateFunction, AggregateQuery } from '../request/parse-list-query.js';

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
function afterCursor(sort: readonly ResolvedSort[], keys: readonly (string | Placeholder | null)[]): Condition {
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

export interface PlannedAggregate extends PlannedColumn {
  readonly function: AggregateFunction;
}

export interface AggregatePlan {
  readonly table: string;
  readonly where: Condition;
  readonly counts: boolean;
  readonly values: readonly PlannedAggregate[];
  readonly groups: readonly PlannedGroup[];
  readonly limit: number;
}

export interface PlannedGroup extends ResolvedSort {
  readonly name: string;
}

export function planAggregate(
  schema: LinkedSchema,
  query: AggregateQuery,
  fields: FieldResolver,
  faults: QueryFaults,
): AggregatePlan {
  const action = 'aggregate';
  const chosen =
    query.filter === null ? ALWAYS : new FilterResolver(fields, faults).resolve(query.filter, schema, action);
  const values = query.values.flatMap(({ function: aggregate, name }): PlannedAggregate[] => {
    // An aggregate reveals values like a filter does, so it needs the same permission.
    const value = fields.value(schema, action, name, 'filter');
    if (value === null) faults.add(name, 'unknown_field');
    else if (!serves(aggregate, value)) faults.add(name, 'operator_unfit');
    else return [{ function: aggregate, name, operand: value.operand, type: value.field.type }];
    return [];
  });
  const groups = query.groups.flatMap((path): PlannedGroup[] => {
    const referenced = resolveValuePath(path, schema, action, fields) ?? resolveKeyPath(path, schema, action, fields);
    if (referenced !== null) return [{ ...referenced, name: path.join('.'), descending: false }];
    faults.add(path.join('.'), 'unknown_field');
    return [];
  });
  const where = allOf([fields.visible(schema, action), chosen]);
  return { table: schema.table.name, where, counts: query.counts, values, groups, limit: query.limit };
}

export function afterGroup(plan: AggregatePlan, keys: readonly (string | null)[]): AggregatePlan {
  return { ...plan, where: allOf([plan.where, afterCursor(plan.groups, keys)]) };
}

/** Resolves a path of to-one relations to the key of the last record. Grouping by a relation uses this key. */
function resolveKeyPath(
  path: readonly string[],
  schema: LinkedSchema,
  action: ContentAction,
  fields: FieldResolver,
): ReturnType<typeof resolveValuePath> {
  let at: { target: LinkedSchema; action: ContentAction } | null = { target: schema, action };
  for (const name of path) at = at && fields.relation(at.target, at.action, name, 'sort');
  return at && resolveValuePath([...path, at.target.primaryField], schema, action, fields);
}

function serves(aggregate: AggregateFunction, { field }: ResolvedValue): boolean {
  const { family } = fieldType(field.type);
  if (family === 'integer' || family === 'float') return true;
  return (
    (aggregate === 'min' || aggregate === 'max') && (family === 'time' || family === 'string' || family === 'enum')
  );
}
