import { fieldType } from '../../model/field-types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { AggregateFunction, AggregateQuery } from '../request/parse-aggregate-query.js';
import type { QueryFaults } from '../request/query-faults.js';
import { allOf, ALWAYS, type Condition } from '../resolve/conditions.js';
import { afterCursor } from './plan-list.js';
import type { PlannedColumn } from './query-plan.types.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { FilterResolver, resolveValuePath } from '../resolve/resolve-query.js';
import type { ContentAction, ResolvedSort, ResolvedValue } from '../resolve/resolved.types.js';

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
