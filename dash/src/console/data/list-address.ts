import { type Filter, isObject, type Json } from '../filter/filter-tree.js';

/** View of a list: as it stands in its address, and in a saved view. */
export interface ListView {
  readonly filter: Filter;
  /** Fields, each with `-` before it where it goes down. */
  readonly sort: readonly string[];
  /** Null for those that the schema suggests. */
  readonly columns: readonly string[] | null;
  /** Whether deleted records are shown instead. */
  readonly deleted: boolean;
}

/** The query of the address of a list; what is as ever is left out. */
export interface ListSearch {
  filter?: string;
  sort?: string;
  columns?: string;
  deleted?: string;
}

export const EVERYTHING: ListView = { filter: {}, sort: [], columns: null, deleted: false };

/** Reads the query of an address, or a saved view; what cannot be read is as if it were not there. */
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

/** Writes a view as the query of an address. */
export function writeSearch({ filter, sort, columns, deleted }: ListView): ListSearch {
  return {
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
    ...(sort.length > 0 && { sort: sort.join(',') }),
    ...(columns !== null && { columns: columns.join(',') }),
    ...(deleted && { deleted: '1' }),
  };
}

/** Writes a view as it is saved: JSON that is read by others, too. */
export function writeSaved({ filter, sort, columns, deleted }: ListView): Readonly<Record<string, unknown>> {
  return { filter, sort, ...(columns !== null && { columns }), ...(deleted && { deleted }) };
}

/** Returns the order after a click on the head of a column: up, down, and as ever. Held with others it comes after them. */
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
