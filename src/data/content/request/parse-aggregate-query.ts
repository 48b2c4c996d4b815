import type { FilterNode } from './list-query.types.js';
import { filterOf, integer, type RawQuery, readParameters } from './parse-list-query.js';
import { type QueryFaults, tooDeep } from './query-faults.js';
import { defineLimit } from '../../../kernel/limits.js';

export const AGGREGATE_FUNCTIONS = ['sum', 'avg', 'min', 'max'] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

export interface AggregateQuery {
  readonly filter: FilterNode | null;
  readonly counts: boolean;
  readonly values: readonly { readonly function: AggregateFunction; readonly name: string }[];
  readonly groups: readonly (readonly string[])[];
  readonly limit: number;
}

const DEFAULT_GROUPS = 100;
const MAX_GROUPS = defineLimit(1_000, 'Content', 'groups on one page of an aggregate', 'query_invalid');

/** Parses `count=*&sum=views&group=status`. Errors are added to `faults`. */
export function parseAggregateQuery(raw: RawQuery, faults: QueryFaults): AggregateQuery {
  const query = readParameters(raw, ['filter', 'count', 'group', 'limit', 'cursor', ...AGGREGATE_FUNCTIONS], faults);
  const names = (parameter: string): readonly string[] => {
    const list = query.get(parameter)?.split(',') ?? [];
    const { sortKeys } = faults.limits;
    if (list.length > sortKeys) faults.add(parameter, 'too_many', `has more than ${sortKeys} names`);
    const names = list.slice(0, sortKeys);
    faults.addRepeated(parameter, names);
    return names;
  };
  const values = AGGREGATE_FUNCTIONS.flatMap((name) => names(name).map((field) => ({ function: name, name: field })));
  const count = query.get('count');
  if (count !== undefined && count !== '*') faults.add('count', 'malformed');
  if (count === undefined && values.length === 0) faults.add('count', 'required');
  const paths = names('group').map((path) => path.split('.'));
  const groups = paths.filter((path) => path.length - 1 <= faults.limits.depth);
  if (groups.length < paths.length) faults.add('group', 'too_deep', tooDeep(faults.limits.depth));
  const parsed = filterOf(raw, query, faults);
  const limit = integer(query, 'limit', [1, MAX_GROUPS], DEFAULT_GROUPS, faults);
  return { filter: parsed, counts: count !== undefined, values, groups, limit };
}

export function parseBulkFilter(raw: RawQuery, faults: QueryFaults): FilterNode {
  const filter = filterOf(raw, readParameters(raw, ['filter'], faults), faults);
  if (filter === null && !Object.hasOwn(raw, 'filter')) faults.add('filter', 'required');
  return filter ?? { kind: 'and', of: [] };
}
