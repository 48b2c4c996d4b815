import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import type { JsonObject, JsonValue, RenameDefinition } from '../../model/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import { INDEX_MEMBERS, RENAME_MEMBERS, SCHEMA_DB_MEMBERS, SCHEMA_MEMBERS } from './definition-members.js';
import type { RawField, RawIndex, RawSchema } from './raw-schema.types.js';
import { readField } from './read-field.js';
import { describeJson, isJsonObject, readMembers, SCHEMA_MEMBER_CODES } from './read-members.js';

/** Reads one schema definition: every node with its place, wrong JSON types and unknown members reported. */
export function readSchema(node: JsonObject, document: Place, faults: FaultList): RawSchema {
  const name = node['name'];
  const place: Place = typeof name === 'string' && name !== '' ? { ...document, schema: name } : document;
  const raw = readMembers(node, SCHEMA_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  return {
    ...raw,
    fields: readFields(raw.values.fields ?? [], place, faults),
    indexes: readIndexes(raw.values.db, place, faults),
    renames: readRenames(raw.values.renames, place, faults),
  };
}

/** Reads no more fields than the limit: the rest is one fault. */
function readFields(nodes: readonly JsonValue[], place: Place, faults: FaultList): readonly RawField[] {
  if (nodes.length > SCHEMA_LIMITS.fields) {
    const params = { what: 'fields', actual: nodes.length, limit: SCHEMA_LIMITS.fields };
    faults.add('schema.limit.exceeded', place, { path: jsonPointer(place.path, 'fields'), params });
  }
  const fields = nodes.slice(0, SCHEMA_LIMITS.fields).map((node, index) => readField(node, place, index, faults));
  return fields.filter((field) => field !== undefined);
}

function readIndexes(db: JsonObject | undefined, schema: Place, faults: FaultList): readonly RawIndex[] {
  if (db === undefined) return [];
  const place = { ...schema, path: jsonPointer(schema.path, 'db') };
  const nodes = readMembers(db, SCHEMA_DB_MEMBERS, SCHEMA_MEMBER_CODES, place, faults).values.indexes ?? [];
  if (nodes.length > SCHEMA_LIMITS.indexes) {
    const params = { what: 'indexes', actual: nodes.length, limit: SCHEMA_LIMITS.indexes };
    faults.add('schema.limit.exceeded', place, { path: jsonPointer(place.path, 'indexes'), params });
  }
  const indexes = nodes.slice(0, SCHEMA_LIMITS.indexes).map((node, index) => readIndex(node, place, index, faults));
  return indexes.filter((index) => index !== undefined);
}

function readIndex(node: JsonValue, db: Place, index: number, faults: FaultList): RawIndex | undefined {
  const place = { ...db, path: jsonPointer(db.path, 'indexes', index) };
  if (!isJsonObject(node)) {
    reportType(`indexes[${index}]`, 'an object', node, place, faults);
    return undefined;
  }
  const raw = readMembers(node, INDEX_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  const faulty = new Set(raw.faulty);
  const columns = (raw.values.columns ?? []).filter((column, position): column is string => {
    if (typeof column === 'string') return true;
    faulty.add('columns');
    const entry = { ...place, path: jsonPointer(place.path, 'columns', position) };
    reportType(`columns[${position}]`, 'text', column, entry, faults);
    return false;
  });
  return { ...raw, columns, faulty };
}

function readRenames(node: JsonObject | undefined, schema: Place, faults: FaultList): RenameDefinition | undefined {
  if (node === undefined) return undefined;
  const place = { ...schema, path: jsonPointer(schema.path, 'renames') };
  const { values } = readMembers(node, RENAME_MEMBERS, SCHEMA_MEMBER_CODES, place, faults);
  const fields = new Map<string, string>();
  for (const [old, name] of Object.entries(values.fields ?? {})) {
    if (typeof name === 'string') fields.set(old, name);
    else reportType(old, 'text', name, { ...place, path: jsonPointer(place.path, 'fields', old) }, faults);
  }
  return { schema: values.schema, fields };
}

function reportType(property: string, expected: string, actual: JsonValue, place: Place, faults: FaultList): void {
  faults.add('schema.property.invalid', place, { params: { property, expected, actual: describeJson(actual) } });
}
