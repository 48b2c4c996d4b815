import type { ContentLimits } from './content-limits.js';
import type { FilterNode } from './filter.types.js';
import { type RawQuery, readParameters } from './parse-list-query.js';
import { parseFilter } from './parse-filter.js';
import { QueryFaults } from './query-faults.js';

/** What can be made of the values of many records. */
export const AGGREGATE_FUNCTIONS = ['sum', 'avg', 'min', 'max'] as const;

/** One of {@link AGGREGATE_FUNCTIONS}. */
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

/** An aggregate request, read and bounded. */
export interface AggregateQuery {
  readonly limits: ContentLimits;
  readonly filter: FilterNode | null;
  readonly counts: boolean;
  readonly values: readonly { readonly function: AggregateFunction; readonly name: string }[];
  readonly groups: readonly (readonly string[])[];
}

/** Reads `count=*&sum=views&group=status`. Throws `query_invalid` with every fault. */
export function parseAggregateQuery(raw: RawQuery, limits: ContentLimits): AggregateQuery {
  const faults = new QueryFaults(limits);
  const query = readParameters(raw, ['filter', 'count', 'group', ...AGGREGATE_FUNCTIONS], faults);
  const filter = query.get('filter');
  const names = (parameter: string): readonly string[] => {
    const list = query.get(parameter)?.split(',') ?? [];
    if (list.length > faults.limits.sortKeys) faults.add(parameter, 'too_many');
    return list.slice(0, faults.limits.sortKeys);
  };
  const values = AGGREGATE_FUNCTIONS.flatMap((name) => names(name).map((field) => ({ function: name, name: field })));
  const count = query.get('count');
  if (count !== undefined && count !== '*') faults.add('count', 'malformed');
  if (count === undefined && values.length === 0) faults.add('count', 'malformed');
  const groups = names('group').map((path) => path.split('.'));
  if (groups.some((path) => path.length - 1 > faults.limits.depth)) faults.add('group', 'too_deep');
  const parsed = filter === undefined ? null : parseFilter(filter, 'filter', faults);
  faults.assertNone();
  return { limits, filter: parsed, counts: count !== undefined, values, groups };
}

/** Reads the filter of a bulk change, which must be there. Throws `query_invalid`. */
export function parseBulkFilter(raw: RawQuery, limits: ContentLimits): FilterNode {
  const faults = new QueryFaults(limits);
  const filter = readParameters(raw, ['filter'], faults).get('filter');
  if (filter === undefined) faults.add('filter', 'malformed');
  const parsed = parseFilter(filter ?? '{}', 'filter', faults);
  faults.assertNone();
  return parsed;
}
