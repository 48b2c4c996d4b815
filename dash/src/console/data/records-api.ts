import type { Permissions, SchemaDefinition } from '../../api/openapi.js';
import { answered, authorized } from '../../session/authorized.js';
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

/** Schemas that may be seen, and what names a record of each. */
export interface RecordWorld {
  readonly permissions: Permissions;
  readonly schemas: ReadonlyMap<string, RecordSchema>;
  readonly labels: Labels;
}

/** A page of a list. */
export interface RecordPage {
  readonly items: readonly RecordValues[];
  readonly next_cursor: string | null;
}

/** A record as it was read. */
export interface ReadRecord {
  readonly values: RecordValues;
  readonly tag: string;
}

/** A page of the records that a relation leads to. */
export interface LinkPage {
  readonly references: readonly Reference[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** Number of records; `capped` if there are more than were counted. */
export interface RecordCount {
  readonly total: number;
  readonly capped: boolean;
}

/** A view that was saved. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly query: unknown;
  /** Role that sees it besides its owner; not told to who may not see roles. */
  readonly role?: { readonly name: string } | null;
}

/** A role that a view can be shared with. */
export interface ViewRole {
  readonly id: string;
  readonly name: string;
}

const REFERENCES = 20;

/** Reads the schemas that the reader may see. Who may not read definitions gets as much of them as the description of the API says. */
export async function getWorld(names: FieldNames = {}): Promise<RecordWorld> {
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

/** Returns what is known of a record that is led to beside its name: the type and the size of a file. */
const detailsOf = ({ name, fields }: RecordSchema): readonly string[] =>
  name === 'file' ? ['type', 'size'].filter((one) => fields.some((field) => field.name === one)) : [];

export async function getPage(
  { labels }: RecordWorld,
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

export async function getRecord({ labels }: RecordWorld, schema: RecordSchema, id: string): Promise<ReadRecord> {
  const isRestorable = schema.softDelete;
  const { values, tag } = await readParts(recordPaths(schema, id, labels, isRestorable)).catch((error: unknown) => {
    if (!isRestorable) throw error;
    return readParts(recordPaths(schema, id, labels));
  });
  return { values: readValues(schema, values, labels), tag };
}

/** Reads a page of the records that a relation to many of a record leads to, in the order of the record. */
export async function getLinks(
  { schemas }: RecordWorld,
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

/** Reads the parts of a record; where somebody changes it in between, anew, a few times. */
async function readParts(paths: readonly string[], tries = 3): Promise<ReadRecord> {
  const parts = await Promise.all(paths.map((path) => answered<{ data: RecordValues }>('GET', path)));
  const [tag = ANY_VERSION, ...others] = parts.map((part) => part.tag ?? ANY_VERSION);
  if (tries > 1 && others.some((other) => versionOf(other) !== versionOf(tag))) return readParts(paths, tries - 1);
  return { values: joinedParts(parts.map(({ body }) => body.data)), tag };
}

/** Returns the version of the row in an entity tag; behind it is a hash of what was asked for (docs/content.md). */
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

/** Changes, or deletes, all records that a filter finds, and answers how many. */
export async function doWithAll(schema: RecordSchema, filter: Filter, values: RecordValues | null): Promise<number> {
  const [method, body] = values === null ? (['DELETE'] as const) : (['PATCH', writtenValues(values)] as const);
  return (await authorized<{ data: { count: number } }>(method, bulkPath(schema, filter), body)).data.count;
}

/** Records to refer to whose names have a text in them. */
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

/** Returns the filter of a search: by the beginning of words if the schema can be searched so, else by its name. */
function searchFilter({ labelField, fields, searchable }: RecordSchema, text: string): Filter {
  const label = fields.find(({ name }) => name === labelField);
  const byName = label?.type === 'string' || label?.type === 'text' ? { [labelField]: { $icontains: text } } : null;
  if (byName === null) return searchable ? { $search: text } : { [labelField]: text };
  return searchable ? { $or: [byName, { $search: text }] } : byName;
}

/** Returns all records of a list as a file. */
export const exportRecords = (
  { labels }: RecordWorld,
  schema: RecordSchema,
  view: ListView,
  format: string,
  fields: ExportedFields,
): Promise<Blob> => authorized('GET', exportPath(schema, view, format, fields, labels), undefined, { file: true });

export async function listViews(schema: string, seesRoles: boolean): Promise<readonly SavedView[]> {
  const select = ['id', 'name', 'query', ...(seesRoles ? ['role.name'] : [])].join(',');
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

/** @param role whose people see the view; nobody else does without. */
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

/** Reads the values of a record, with references for what relations lead to. */
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
