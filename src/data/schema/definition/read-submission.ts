import { type FaultList, type Place, jsonPointer, below } from '../codes/fault-list.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import {
  type RawSchema,
  INDEX_MEMBERS,
  RENAME_MEMBERS,
  SCHEMA_DB_MEMBERS,
  SCHEMA_MEMBERS,
  ENUM_MEMBERS,
  FIELD_DB_MEMBERS,
  FIELD_MEMBERS,
  FILE_MEMBERS,
  RELATION_MEMBERS,
  type RawField,
  type RawIndex,
  type RawEnumValue,
} from './definition-members.js';
import { isJsonObject } from '../../../kernel/text/json-object.js';
import {
  describeJson,
  checkText,
  readMembers,
  SCHEMA_MEMBER_CODES,
  FIELD_MEMBER_CODES,
  RELATION_MEMBER_CODES,
} from './read-members.js';
import type { JsonObject, JsonValue, RenameDefinition } from '../../../kernel/schema-definition.types.js';
import { hasRounded } from '../../../kernel/text/json-numbers.js';

export interface SubmittedDocument {
  readonly json: unknown;
  readonly source?: string;
}

/** Reads documents: each is a definition, a list of them, or `{"schemas": […]}`. Wrong JSON types are reported. Never throws. */
export function readSubmission(documents: readonly SubmittedDocument[], faults: FaultList): readonly RawSchema[] {
  const schemas: RawSchema[] = [];
  for (const { json, source } of documents) {
    for (const { node, path } of entries(json, source, schemas.length, faults)) {
      const place: Place = { rank: schemas.length, submitted: true, source, path };
      if (isJsonObject(node)) schemas.push(readSchema(node, place, faults));
      else faults.add('schema.document.invalid', place, { params: { actual: describeJson(node) } });
    }
  }
  return schemas;
}

function entries(
  json: unknown,
  source: string | undefined,
  rank: number,
  faults: FaultList,
): readonly { readonly node: unknown; readonly path: string }[] {
  const place: Place = { rank, submitted: true, source, path: '' };
  if (Array.isArray(json)) return listEntries(json, place, faults);
  if (!isJsonObject(json) || !Object.hasOwn(json, 'schemas')) return [{ node: json, path: '' }];
  for (const member of Object.keys(json)) {
    if (member === 'schemas') continue;
    faults.add('schema.property.unknown', below(place, member), { params: { property: member } });
  }
  const listPlace = below(place, 'schemas');
  if (Array.isArray(json['schemas'])) return listEntries(json['schemas'], listPlace, faults);
  faults.add('schema.document.invalid', listPlace, { params: { actual: describeJson(json['schemas']) } });
  return [];
}

function listEntries(
  list: readonly unknown[],
  place: Place,
  faults: FaultList,
): readonly { readonly node: unknown; readonly path: string }[] {
  const nodes = withinLimit('schemas', list, place, faults);
  return nodes.map((node, index) => ({ node, path: jsonPointer(place.path, index) }));
}

/** Reports a list beyond the limit once, and returns its first entries. */
function withinLimit<T>(
  what: 'schemas' | 'fields' | 'indexes',
  list: readonly T[],
  place: Place,
  faults: FaultList,
): readonly T[] {
  const limit = SCHEMA_LIMITS[what];
  if (list.length > limit) faults.add('schema.limit.exceeded', place, { params: { what, actual: list.length, limit } });
  return list.slice(0, limit);
}

function readSchema(node: JsonObject, document: Place, faults: FaultList): RawSchema {
  const name = node['name'];
  const place: Place = typeof name === 'string' && name !== '' ? { ...document, schema: name } : document;
  checkText(node, place, faults);
  const raw = readMembers(node, SCHEMA_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  return {
    ...raw,
    fields: readFields(raw.values.fields ?? [], place, faults),
    indexes: readIndexes(raw.values.db, place, faults),
    renames: readRenames(raw.values.renames, place, faults),
  };
}

function readFields(nodes: readonly JsonValue[], place: Place, faults: FaultList): readonly RawField[] {
  return withinLimit('fields', nodes, below(place, 'fields'), faults)
    .map((node, index) => readField(node, place, index, faults))
    .filter((field) => field !== undefined);
}

function readIndexes(db: JsonObject | undefined, schema: Place, faults: FaultList): readonly RawIndex[] {
  if (db === undefined) return [];
  const place = below(schema, 'db');
  const nodes = readMembers(db, SCHEMA_DB_MEMBERS, SCHEMA_MEMBER_CODES, place, faults).values.indexes ?? [];
  return withinLimit('indexes', nodes, below(place, 'indexes'), faults)
    .map((node, index) => readIndex(node, place, index, faults))
    .filter((index) => index !== undefined);
}

function readIndex(node: JsonValue, db: Place, index: number, faults: FaultList): RawIndex | undefined {
  const place = below(db, 'indexes', index);
  if (!isJsonObject(node)) {
    reportType(`indexes[${index}]`, 'an object', node, place, faults);
    return undefined;
  }
  const raw = readMembers(node, INDEX_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  const faulty = new Set(raw.faulty);
  const columns = (raw.values.columns ?? []).filter((column, position): column is string => {
    if (typeof column === 'string') return true;
    faulty.add('columns');
    const entry = below(place, 'columns', position);
    reportType(`columns[${position}]`, 'text', column, entry, faults);
    return false;
  });
  return { ...raw, columns, faulty };
}

function readRenames(node: JsonObject | undefined, schema: Place, faults: FaultList): RenameDefinition | undefined {
  if (node === undefined) return undefined;
  const place = below(schema, 'renames');
  const { values } = readMembers(node, RENAME_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  const fields = new Map<string, string>();
  for (const [old, name] of Object.entries(values.fields ?? {})) {
    if (typeof name === 'string') fields.set(old, name);
    else reportType(old, 'text', name, below(place, 'fields', old), faults);
  }
  return { schema: values.schema, fields };
}

function reportType(property: string, expected: string, actual: JsonValue, place: Place, faults: FaultList): void {
  faults.add('schema.property.invalid', place, { params: { property, expected, actual: describeJson(actual) } });
}

/** Reads an entry of `fields`. If it is not an object, reports it and returns `undefined`. */
function readField(node: JsonValue, schema: Place, index: number, faults: FaultList): RawField | undefined {
  const path = jsonPointer(schema.path, 'fields', index);
  if (!isJsonObject(node)) {
    const params = { property: `fields[${index}]`, expected: 'an object', actual: describeJson(node) };
    faults.add('field.property.invalid', { ...schema, path, index }, { params });
    return undefined;
  }
  const { name } = node;
  const { rank, submitted, source } = schema;
  const field = typeof name === 'string' && name !== '' ? name : undefined;
  const at = field === undefined ? index : undefined;
  const place: Place = { rank, submitted, source, schema: schema.schema, path, field, index: at };
  const raw = readMembers(node, FIELD_MEMBERS, FIELD_MEMBER_CODES, place, faults);
  const faulty = new Set(raw.faulty);
  return {
    place,
    values: raw.values,
    isDefaultRounded: raw.values.default !== undefined && hasRounded(node, 'default'),
    type: readType(raw.values.type, place, faulty, faults),
    relation: readRelation(raw.values.relation, place, faults),
    enums: readEnums(raw.values.enums, place, faults),
    file:
      raw.values.file && readMembers(raw.values.file, FILE_MEMBERS, FIELD_MEMBER_CODES, below(place, 'file'), faults),
    db: raw.values.db && readMembers(raw.values.db, FIELD_DB_MEMBERS, FIELD_MEMBER_CODES, below(place, 'db'), faults),
    faulty,
  };
}

function readType(type: JsonValue | undefined, place: Place, faulty: Set<string>, faults: FaultList) {
  if (type === undefined || typeof type === 'string') return type;
  faulty.add('type');
  faults.add('field.type.parse_error', below(place, 'type'), { params: { actual: describeJson(type) } });
  return undefined;
}

function readRelation(relation: JsonValue | undefined, place: Place, faults: FaultList): RawField['relation'] {
  if (relation === undefined) return undefined;
  if (!isJsonObject(relation)) return 'unusable';
  return readMembers(relation, RELATION_MEMBERS, RELATION_MEMBER_CODES, below(place, 'relation'), faults);
}

function readEnums(enums: JsonValue | undefined, place: Place, faults: FaultList): RawField['enums'] {
  if (enums === undefined) return undefined;
  if (!Array.isArray(enums)) return 'unusable';
  return enums.map((entry: JsonValue, index): RawEnumValue => {
    const entryPlace = below(place, 'enums', index);
    if (!isJsonObject(entry)) return { place: entryPlace, values: {}, faulty: new Set() };
    return readMembers(entry, ENUM_MEMBERS, FIELD_MEMBER_CODES, entryPlace, faults);
  });
}
