import type { Filter } from '../filter/filter-tree.js';
import type { ListView } from './list-address.js';
import type { RecordSchema } from './record-schema.js';

/** Records per page, which is the default of the service. */
export const PAGE_SIZE = 100;
/** Records of a to-many relation that a cell shows. */
const MAX_CELL_LINKS = 3;

/** Relations per request. The service allows 25 by default (CONTENT_MAX_RELATIONS). */
const MAX_EXPANDED_RELATIONS = 20;

export type Labels = ReadonlyMap<string, RecordNames>;

interface RecordNames {
  readonly key: string;
  readonly label: string;
  readonly details?: readonly string[];
}

export interface ExportedFields {
  readonly columns: readonly string[];
  readonly hasAllFields: boolean;
}

export function listPath(
  schema: RecordSchema,
  view: ListView,
  columns: readonly string[],
  labels: Labels,
  cursor: string,
): string {
  const many = columns.filter((name) => schema.fields.some((field) => field.name === name && field.many));
  const relations = Object.fromEntries(many.map((name) => [name, { limit: MAX_CELL_LINKS }]));
  return pathOf(schema.name, {
    select: selectPaths(schema, columns, labels).join(','),
    ...(many.length > 0 && { relations: JSON.stringify(relations) }),
    ...filterOf(view),
    ...(view.sort.length > 0 && { sort: view.sort.join(',') }),
    ...(view.deleted && { with_deleted: 'true' }),
    limit: String(PAGE_SIZE),
    cursor,
  });
}

export function queryOf(view: ListView): string {
  const query = { ...filterOf(view), ...(view.sort.length > 0 && { sort: view.sort.join(',') }) };
  return new URLSearchParams({ ...query, ...(view.deleted && { with_deleted: 'true' }) }).toString();
}

/** Returns the path of a count: capped at 10,000, or exact. */
export function countPath(schema: RecordSchema, view: ListView, how: 'capped' | 'exact'): string {
  return pathOf(schema.name, {
    select: schema.key,
    ...filterOf(view),
    ...(view.deleted && { with_deleted: 'true' }),
    count: how,
    limit: '1',
  });
}

/**
 * Returns the path of an export of all records of a list. Relations are exported as keys.
 *
 * @param isWhole exports all fields. To-many relations are only exported if they are columns, because they can be very large.
 */
export function exportPath(
  schema: RecordSchema,
  view: ListView,
  format: string,
  { columns, hasAllFields }: ExportedFields,
  labels: Labels,
): string {
  const fields = schema.fields.filter(
    ({ name, many }) => name === schema.key || columns.includes(name) || (hasAllFields && !many),
  );
  const select = fields.flatMap(({ name, target }): readonly string[] => {
    if (target === undefined) return [name];
    const label = labels.get(target);
    return label === undefined ? [] : [`${name}.${label.key}`];
  });
  const query = {
    format,
    select: select.join(','),
    ...filterOf(view),
    ...(view.sort.length > 0 && { sort: view.sort.join(',') }),
    ...(view.deleted && { with_deleted: 'true' }),
  };
  return `/api/content/${encodeURIComponent(schema.name)}/export?${new URLSearchParams(query).toString()}`;
}

/** Returns the paths that read one record with its relations. There are several if it has more relations than one request may expand. */
export function recordPaths(schema: RecordSchema, id: string, labels: Labels, deleted = false): readonly string[] {
  const path = `/api/content/${encodeURIComponent(schema.name)}/${encodeURIComponent(id)}`;
  const relations = schema.fields
    .filter(({ target }) => target !== undefined && labels.has(target))
    .map(({ name }) => name);
  const others = schema.fields.filter(({ target }) => target === undefined).map(({ name }) => name);
  const parts = [[...others, ...relations.slice(0, MAX_EXPANDED_RELATIONS)]];
  for (let at = MAX_EXPANDED_RELATIONS; at < relations.length; at += MAX_EXPANDED_RELATIONS)
    parts.push(relations.slice(at, at + MAX_EXPANDED_RELATIONS));
  return parts.map((names) => {
    const query = { select: selectPaths(schema, names, labels).join(','), ...(deleted && { with_deleted: 'true' }) };
    return `${path}?${new URLSearchParams(query).toString()}`;
  });
}

export function bulkPath(schema: RecordSchema, filter: Filter): string {
  return pathOf(schema.name, { filter: JSON.stringify(filter) });
}

/** Returns the fields to select: for a relation, the key and the label of the related record. */
function selectPaths(schema: RecordSchema, columns: readonly string[], labels: Labels): readonly string[] {
  const fields = new Map(schema.fields.map((field) => [field.name, field]));
  const names = columns.flatMap((name): readonly string[] => {
    const field = fields.get(name);
    if (field === undefined) return [];
    if (field.target === undefined) return [name];
    const target = labels.get(field.target);
    if (target === undefined) return [];
    const details = field.type === 'file' ? (target.details ?? []) : [];
    return [...new Set([target.key, target.label, ...details])].map((item) => `${name}.${item}`);
  });
  return [...new Set([schema.key, ...names])];
}

function filterOf({ filter, deleted }: ListView): { filter?: string } {
  const combined = deleted ? { $and: [filter, { deleted_at: { $null: false } }] } : filter;
  return Object.keys(combined).length === 0 ? {} : { filter: JSON.stringify(combined) };
}

function pathOf(schema: string, query: Record<string, string>): string {
  return `/api/content/${encodeURIComponent(schema)}?${new URLSearchParams(query).toString()}`;
}
