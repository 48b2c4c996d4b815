import { isJsonObject } from '../../../kernel/text/json.js';
import { isStorable } from '../../../kernel/text/storable-text.js';
import { type ContentLimits, linksOfList, QueryFaults, tooDeep } from './query-faults.js';
import {
  type CountMode,
  EXPORT_FORMATS,
  type ExportQuery,
  type FilterNode,
  type ListQuery,
  type RecordQuery,
  type RelationQuery,
  type SortKey,
} from './list-query.types.js';
import { parseFilter, readFilter } from './parse-filter.js';
import { parseSelect, SELECT_ALL } from './parse-select.js';
import { defineLimit } from '../../../kernel/limits.js';
import type { JsonObject } from '../../../kernel/schema-definition.types.js';

/** Parameters of a query: texts from a request; from code also lists, numbers, flags and objects. */
export type RawQuery = Readonly<Record<string, unknown>>;

const RECORD_PARAMETERS = ['select', 'relations', 'with_deleted'];
const EXPORT_PARAMETERS = [...RECORD_PARAMETERS, 'filter', 'sort', 'format', 'formulas'];
const LIST_PARAMETERS = [...RECORD_PARAMETERS, 'filter', 'sort', 'limit', 'page', 'cursor', 'count'];

export function parseListQuery(raw: RawQuery, faults: QueryFaults): ListQuery {
  const query = readParameters(raw, LIST_PARAMETERS, faults);
  const limit = integer(query, 'limit', [1, faults.limits.maxPageSize], faults.limits.pageSize, faults);
  const lastPage = Math.floor(faults.limits.maxOffset / limit) + 1;
  const cursor = query.get('cursor') ?? null;
  if (cursor !== null && query.has('page')) faults.add('page', 'malformed');
  return {
    ...recordQuery(raw, query, faults),
    filter: filterOf(raw, query, faults),
    sort: parseSort(query.get('sort'), 'sort', faults),
    limit,
    page: integer(query, 'page', [1, lastPage], 1, faults),
    cursor,
    count: countMode(query.get('count'), cursor !== null, faults),
  };
}

/** Parses the query of an export: that of a list without pages. Errors are added to `faults`. */
export function parseExportQuery(raw: RawQuery, faults: QueryFaults): ExportQuery {
  const query = readParameters(raw, EXPORT_PARAMETERS, faults);
  return {
    ...recordQuery(raw, query, faults, null),
    filter: filterOf(raw, query, faults),
    sort: parseSort(query.get('sort'), 'sort', faults),
    limit: faults.limits.pageSize,
    page: 1,
    cursor: null,
    count: 'none',
    format: oneOf(query, 'format', EXPORT_FORMATS, faults),
    escapesFormulas: oneOf(query, 'formulas', ['escape', 'keep'], faults) === 'escape',
  };
}

export function parseRecordQuery(raw: RawQuery, faults: QueryFaults): RecordQuery {
  return recordQuery(raw, readParameters(raw, RECORD_PARAMETERS, faults), faults);
}

/** Throws `query_invalid` if a route without parameters is called with some. */
export function assertNoParameters(raw: RawQuery, limits: ContentLimits): void {
  const faults = new QueryFaults(limits);
  readParameters(raw, [], faults);
  faults.assertNone();
}

/** Parameters with JSON. A request has text; code has the object. */
const OBJECTS = new Set(['filter', 'relations']);
/** List parameters: separated by commas, or repeated. */
const LISTS = new Set(['select', 'sort', 'sum', 'avg', 'min', 'max', 'group']);

/** Returns the known parameters. Adds errors for unknown ones, and for repeated ones that are not lists. */
export function readParameters(
  raw: RawQuery,
  allowedNames: readonly string[],
  faults: QueryFaults,
): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, input] of Object.entries(raw)) {
    const value = textOf(name, input);
    if (!allowedNames.includes(name)) faults.add(name, 'unknown_parameter');
    else if (isJsonObject(value) && OBJECTS.has(name)) continue;
    else if (typeof value !== 'string') faults.add(name, 'repeated_parameter');
    else if (!isStorable(value)) faults.add(name, 'malformed');
    else parameters.set(name, value);
  }
  return parameters;
}

function textOf(name: string, value: unknown): unknown {
  if (LISTS.has(name) && Array.isArray(value)) return value.join(',');
  return ['number', 'boolean'].includes(typeof value) || value === null ? String(value) : value;
}

/** Returns the filter of a query; null if there is none. */
function filterOf({ filter }: RawQuery, query: ReadonlyMap<string, string>, faults: QueryFaults): FilterNode | null {
  if (isJsonObject(filter)) return readFilter(filter, 'filter', faults);
  const text = query.get('filter');
  return text === undefined ? null : parseFilter(text, 'filter', faults);
}

function recordQuery(
  { relations }: RawQuery,
  query: ReadonlyMap<string, string>,
  faults: QueryFaults,
  childLimit: number | null = linksOfList(faults.limits),
): RecordQuery {
  const select = query.get('select');
  return {
    limits: faults.limits,
    select: select === undefined ? SELECT_ALL : parseSelect(select, faults),
    relations: relationQueries(
      isJsonObject(relations) ? relations : relationsIn(query.get('relations'), faults),
      childLimit,
      faults,
    ),
    childLimit,
    withDeleted:
      query.get('with_deleted') === 'only' ? 'only' : flag(query.get('with_deleted'), 'with_deleted', faults),
  };
}

/** Parses `-published_at,title`. */
function parseSort(text: string | undefined, location: string, faults: QueryFaults): readonly SortKey[] {
  if (text === undefined || text === '') return [];
  const { listLength, sortKeys, depth } = faults.limits;
  if (text.length > listLength) faults.add(location, 'too_long', `has more than ${listLength} characters`);
  const items = text.slice(0, listLength).split(',');
  if (items.length > sortKeys) faults.add(location, 'too_many', `has more than ${sortKeys} sort keys`);
  const keys = items.slice(0, sortKeys);
  const names = keys.map((key) => key.replace('-', '').trim());
  faults.addRepeated(location, names);
  return keys.flatMap((item): SortKey[] => {
    const descending = item.startsWith('-');
    const path = (descending ? item.slice(1) : item).trim().split('.');
    if (path.length - 1 <= depth) return [{ path, descending }];
    faults.add(item, 'too_deep', tooDeep(depth));
    return [];
  });
}

/** Parses `{"tags": {"limit": 5, "sort": "name", "filter": {…}}}`. */
function relationQueries(
  raw: Readonly<Record<string, unknown>>,
  childLimit: number | null,
  faults: QueryFaults,
): ReadonlyMap<string, RelationQuery> {
  const queries = new Map<string, RelationQuery>();
  for (const [path, value] of Object.entries(raw)) {
    const location = `relations.${path}`;
    if (!isJsonObject(value)) {
      faults.add(location, 'malformed');
      continue;
    }
    const { filter, sort, limit, ...rest } = value;
    for (const name of Object.keys(rest)) faults.add(`${location}.${name}`, 'unknown_parameter');
    const isBounded = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= faults.limits.children;
    if (limit !== undefined && !isBounded)
      faults.add(`${location}.limit`, 'out_of_range', outOfRange(1, faults.limits.children));
    if (sort !== undefined && typeof sort !== 'string') faults.add(`${location}.sort`, 'malformed');
    queries.set(path, {
      filter: filter === undefined ? null : readFilter(filter, `${location}.filter`, faults),
      sort: parseSort(typeof sort === 'string' ? sort : undefined, `${location}.sort`, faults),
      limit: isBounded ? Number(limit) : childLimit,
    });
  }
  const { relationNodes } = faults.limits;
  if (queries.size > relationNodes) faults.add('relations', 'too_many', `has more than ${relationNodes} relations`);
  return queries;
}

function relationsIn(text: string | undefined, faults: QueryFaults): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  if (Buffer.byteLength(text) > faults.limits.filterBytes) {
    faults.add('relations', 'too_long', `has more than ${faults.limits.filterBytes} bytes`);
    return {};
  }
  const relations = objectIn(text);
  if (relations === null) faults.add('relations', 'malformed');
  return relations ?? {};
}

/** Parses a JSON object; null for other text. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function integer(
  query: ReadonlyMap<string, string>,
  name: string,
  [min, max]: readonly [number, number],
  fallback: number,
  faults: QueryFaults,
): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  faults.add(name, 'out_of_range', outOfRange(min, max));
  return fallback;
}

function outOfRange(min: number, max: number): string {
  return `must be a whole number from ${min} to ${max}`;
}

/** Parses one of several values. The first is the default. */
export function oneOf<Value extends string>(
  query: ReadonlyMap<string, string>,
  name: string,
  values: readonly [Value, ...Value[]],
  faults: QueryFaults,
): Value {
  const text = query.get(name);
  const value = values.find((one) => one === text);
  if (text !== undefined && value === undefined) faults.add(name, 'malformed', `is not one of ${values.join(', ')}`);
  return value ?? values[0];
}

/** Parses `true` or `false`. The default is false. */
export function flag(text: string | undefined, name: string, faults: QueryFaults): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false') faults.add(name, 'malformed');
  return text === 'true';
}

function countMode(text: string | undefined, byCursor: boolean, faults: QueryFaults): CountMode {
  if (byCursor) {
    if (text !== undefined && text !== 'none') faults.add('count', 'malformed');
    return 'none';
  }
  if (text === undefined || text === 'exact') return 'exact';
  if (text === 'capped' || text === 'none') return text;
  faults.add('count', 'malformed');
  return 'exact';
}

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
