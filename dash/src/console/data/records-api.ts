import type { Permissions, SchemaDefinition } from '../../api/openapi.js';
import { requestWithMeta, authorized } from '../../session/authorized.js';
import type { Filter } from '../filter/filter-tree.js';
import { type ListView, writeSaved } from './list-address.js';
import {
  bulkPath,
  countPath,
  type ExportedFields,
  exportPath,
  type Labels,
  listPath,
  PAGE_SIZE,
  recordPaths,
} from './list-request.js';
import { joinedParts } from './link-edit.js';
import { ANY_VERSION, type BatchUpdate, type RecordValues, Reference, writtenValues } from './record-changes.js';
import { type FieldNames, type RecordSchema, recordSchema } from './record-schema.js';
import { definitionsIn, type Document } from './schemas-of-document.js';

export interface RecordContext {
  readonly permissions: Permissions;
  readonly schemas: ReadonlyMap<string, RecordSchema>;
  readonly labels: Labels;
}

export interface RecordPage {
  readonly items: readonly RecordValues[];
  readonly next_cursor: string | null;
}

export interface ReadRecord {
  readonly values: RecordValues;
  readonly tag: string;
}

export interface LinkPage {
  readonly references: readonly Reference[];
  /** Null on the last page. */
  readonly next: string | null;
}

/** Number of records. If `capped`, there are more than were counted. */
export interface RecordCount {
  readonly total: number;
  readonly capped: boolean;
}

export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly query: unknown;
  /** Role that the view is shared with. Missing if the caller cannot read roles. */
  readonly role?: { readonly name: string } | null;
}

export interface ViewRole {
  readonly id: string;
  readonly name: string;
}

const REFERENCES = 20;

/** Reads the schemas that the caller can read. Without permission for definitions, they are derived from the OpenAPI document. */
export async function getRecordContext(names: FieldNames = {}): Promise<RecordContext> {
  const { data: permissions } = await authorized<{ data: Permissions }>('GET', '/api/auth/permissions');
  const definitions = permissions.resources.includes('schema.list')
    ? (await authorized<{ data: SchemaDefinition[] }>('GET', '/api/schema')).data
    : definitionsIn(await authorized<Document>('GET', '/api/openapi.json'));
  const all = definitions
    .filter(({ name }) => permissions.content[name] !== undefined)
    .map((definition) => recordSchema(definition, permissions, names));
  return {
    permissions,
    schemas: new Map(all.map((schema) => [schema.name, schema])),
    labels: new Map(
      all.map((schema) => [schema.name, { key: schema.key, label: schema.labelField, details: detailsOf(schema) }]),
    ),
  };
}

/** Fields to read of a related record besides its label: type and size of a file. */
const detailsOf = ({ name, fields }: RecordSchema): readonly string[] =>
  name === 'file' ? ['type', 'size'].filter((item) => fields.some((field) => field.name === item)) : [];

export async function getPage(
  { labels }: RecordContext,
  schema: RecordSchema,
  view: ListView,
  columns: readonly string[],
  cursor: string,
): Promise<RecordPage> {
  const { data } = await authorized<{ data: RecordPage }>('GET', listPath(schema, view, columns, labels, cursor));
  return { ...data, items: data.items.map((item) => readValues(schema, item, labels)) };
}

export async function countRecords(
  schema: RecordSchema,
  view: ListView,
  how: 'capped' | 'exact',
): Promise<RecordCount> {
  const { data } = await authorized<{ data: { total: number; capped?: true } }>('GET', countPath(schema, view, how));
  return { total: data.total, capped: data.capped === true };
}

export async function getRecord({ labels }: RecordContext, schema: RecordSchema, id: string): Promise<ReadRecord> {
  const isRestorable = schema.softDelete;
  const { values, tag } = await readParts(recordPaths(schema, id, labels, isRestorable)).catch((error: unknown) => {
    if (!isRestorable) throw error;
    return readParts(recordPaths(schema, id, labels));
  });
  return { values: readValues(schema, values, labels), tag };
}

/** Reads a page of the records in a to-many relation, in their stored order. */
export async function getLinks(
  { schemas }: RecordContext,
  { name, fields }: RecordSchema,
  id: string,
  field: string,
  cursor: string,
): Promise<LinkPage> {
  const target = schemas.get(fields.find((one) => one.name === field)?.target ?? '');
  if (target === undefined) return { references: [], next: null };
  const { key, labelField } = target;
  const select = [...new Set([key, labelField, ...detailsOf(target)])].join(',');
  const query = new URLSearchParams({ select, limit: String(PAGE_SIZE), cursor });
  const path = `/api/content/${encodeURIComponent(name)}/${encodeURIComponent(id)}/${encodeURIComponent(field)}`;
  const { data } = await authorized<{ data: RecordPage }>('GET', `${path}?${query.toString()}`);
  return { references: data.items.map((item) => referenceOf(item, key, labelField)), next: data.next_cursor };
}

/** Reads the parts of a record. If the record changes between two parts, all parts are read again. Makes at most three attempts. */
async function readParts(paths: readonly string[], attempts = 3): Promise<ReadRecord> {
  const parts = await Promise.all(paths.map((path) => requestWithMeta<{ data: RecordValues }>('GET', path)));
  const [tag = ANY_VERSION, ...others] = parts.map((part) => part.tag ?? ANY_VERSION);
  if (attempts > 1 && others.some((other) => versionOf(other) !== versionOf(tag)))
    return readParts(paths, attempts - 1);
  return { values: joinedParts(parts.map(({ body }) => body.data)), tag };
}

/** Returns the row version in an entity tag. The tag also contains a hash of the request (docs/guides/data/writing-records.md). */
export function versionOf(tag: string): string {
  return tag.replace(/^W\//, '').replaceAll('"', '').split('.', 1)[0] ?? '';
}

export async function createRecord(schema: RecordSchema, values: RecordValues): Promise<RecordValues> {
  return (await authorized<{ data: RecordValues }>('POST', pathTo(schema), writtenValues(values))).data;
}

export const updateRecord = (schema: RecordSchema, id: string, values: RecordValues, tag: string): Promise<unknown> =>
  authorized('PATCH', pathTo(schema, id), writtenValues(values), { headers: { 'If-Match': tag } });

export const deleteRecord = (schema: RecordSchema, id: string): Promise<unknown> =>
  authorized('DELETE', pathTo(schema, id));

export const restoreRecord = (schema: RecordSchema, id: string): Promise<unknown> =>
  authorized('POST', `${pathTo(schema, id)}/restore`);

export const saveBatch = (operations: readonly BatchUpdate[]): Promise<unknown> =>
  authorized('POST', '/api/batch', { operations });

/** Updates all records that match a filter, or deletes them if `values` is null. Returns their number. */
export async function changeAllMatching(
  schema: RecordSchema,
  filter: Filter,
  values: RecordValues | null,
): Promise<number> {
  const [method, body] = values === null ? (['DELETE'] as const) : (['PATCH', writtenValues(values)] as const);
  return (await authorized<{ data: { count: number } }>(method, bulkPath(schema, filter), body)).data.count;
}

export async function searchReferences(schema: RecordSchema, text: string): Promise<readonly Reference[]> {
  const { key, labelField } = schema;
  const filter = text.trim() === '' ? null : searchFilter(schema, text.trim());
  const query = new URLSearchParams({
    select: [...new Set([key, labelField, ...detailsOf(schema)])].join(','),
    limit: String(REFERENCES),
    cursor: '',
    ...(filter && { filter: JSON.stringify(filter) }),
  });
  const path = `${pathTo(schema)}?${query.toString()}`;
  const { data } = await authorized<{ data: RecordPage }>('GET', path);
  return data.items.map((item) => referenceOf(item, key, labelField));
}

/** Searches the label; also uses full-text search if the schema supports it. A label that is no text must match exactly. */
function searchFilter({ labelField, fields, searchable }: RecordSchema, text: string): Filter {
  const label = fields.find(({ name }) => name === labelField);
  const byName = label?.type === 'string' || label?.type === 'text' ? { [labelField]: { $icontains: text } } : null;
  if (byName === null) return searchable ? { $search: text } : { [labelField]: text };
  return searchable ? { $or: [byName, { $search: text }] } : byName;
}

export const exportRecords = (
  { labels }: RecordContext,
  schema: RecordSchema,
  view: ListView,
  format: string,
  fields: ExportedFields,
): Promise<Blob> => authorized('GET', exportPath(schema, view, format, fields, labels), undefined, { file: true });

export async function listViews(schema: string, canListRoles: boolean): Promise<readonly SavedView[]> {
  const select = ['id', 'name', 'query', ...(canListRoles ? ['role.name'] : [])].join(',');
  const query = new URLSearchParams({ filter: JSON.stringify({ schema }), sort: 'name', limit: '100', select });
  return (await authorized<{ data: { items: SavedView[] } }>('GET', `/api/content/view?${query.toString()}`)).data
    .items;
}

export const listViewRoles = async (): Promise<readonly ViewRole[]> =>
  (
    await authorized<{ data: { items: ViewRole[] } }>(
      'GET',
      '/api/content/role?select=id,name&sort=name&limit=100&count=none',
    )
  ).data.items;

/** @param role id of the role that the view is shared with; null for a private view. */
export const saveView = (schema: string, name: string, view: ListView, role: string | null): Promise<unknown> =>
  authorized('POST', '/api/content/view', {
    name,
    schema,
    query: writeSaved(view),
    ...(role !== null && { role: { id: role } }),
  });

export const deleteView = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/content/view/${encodeURIComponent(id)}`);

function pathTo({ name }: RecordSchema, id?: string): string {
  return `/api/content/${encodeURIComponent(name)}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}

function readValues({ fields }: RecordSchema, item: RecordValues, labels: Labels): RecordValues {
  const relations = new Map(
    fields.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target] as const])),
  );
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const names = labels.get(relations.get(name) ?? '');
      if (names === undefined) return [name, value];
      const read = (one: unknown): unknown => (isRecord(one) ? referenceOf(one, names.key, names.label) : one);
      return [name, Array.isArray(value) ? value.map(read) : read(value)];
    }),
  );
}

function referenceOf(item: RecordValues, key: string, labelField: string): Reference {
  const id = item[key] as string | number;
  const label = item[labelField];
  const isName = (typeof label === 'string' && label !== '') || typeof label === 'number';
  const { [key]: _key, [labelField]: _label, ...details } = item;
  return new Reference(key, id, isName ? String(label) : String(id), details);
}

function isRecord(value: unknown): value is RecordValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
