import { type Filter, isObject, type Json } from '../filter/filter-tree.js';

export interface ListView {
  readonly filter: Filter;
  /** Field names; a leading `-` sorts descending. */
  readonly sort: readonly string[];
  /** Null for the default columns of the schema. */
  readonly columns: readonly string[] | null;
  readonly deleted: boolean;
}

export interface ListSearch {
  filter?: string;
  sort?: string;
  columns?: string;
  deleted?: string;
}

export const EVERYTHING: ListView = { filter: {}, sort: [], columns: null, deleted: false };

/** Reads the query of a URL, or a saved view. Invalid values are ignored. */
export function readView(search: unknown): ListView {
  const { filter, sort, columns, deleted } = isObject(search) ? search : {};
  const named = namesIn(columns);
  return {
    filter: filterIn(filter),
    sort: namesIn(sort),
    columns: named.length === 0 ? null : named,
    deleted: deleted === true || deleted === '1',
  };
}

export function writeSearch({ filter, sort, columns, deleted }: ListView): ListSearch {
  return {
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
    ...(sort.length > 0 && { sort: sort.join(',') }),
    ...(columns !== null && { columns: columns.join(',') }),
    ...(deleted && { deleted: '1' }),
  };
}

/** Returns the JSON of a saved view, which other clients read, too. */
export function writeSaved({ filter, sort, columns, deleted }: ListView): Readonly<Record<string, unknown>> {
  return { filter, sort, ...(columns !== null && { columns }), ...(deleted && { deleted }) };
}

/**
 * Returns the order after a click on a column header: ascending, descending, then none. `isAdded` appends the column to the current order.
 */
export function sortedBy(sort: readonly string[], name: string, isAdded: boolean): readonly string[] {
  const others = isAdded ? sort.filter((key) => key !== name && key !== `-${name}`) : [];
  if (sort.includes(name)) return [...others, `-${name}`];
  return sort.includes(`-${name}`) ? others : [...others, name];
}

function filterIn(value: Json | undefined): Filter {
  if (isObject(value)) return value;
  if (typeof value !== 'string' || value === '') return {};
  try {
    const read = JSON.parse(value) as Json;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function namesIn(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const names = list.filter((name): name is string => typeof name === 'string' && name.trim() !== '');
  return [...new Set(names.map((name) => name.trim()))];
}
