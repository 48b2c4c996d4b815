import { hasRounded } from '../../../kernel/json-numbers.js';
import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import type { JsonValue } from '../../model/schema-definition.types.js';
import { ENUM_MEMBERS, FIELD_DB_MEMBERS, FIELD_MEMBERS, RELATION_MEMBERS } from './definition-members.js';
import type { RawEnumValue, RawField, RawRelation } from './raw-schema.types.js';
import { describeJson, FIELD_MEMBER_CODES, isJsonObject, readMembers, RELATION_MEMBER_CODES } from './read-members.js';

/** Reads one entry of `fields`, or reports it and answers `undefined` where it is not an object. */
export function readField(node: JsonValue, schema: Place, index: number, faults: FaultList): RawField | undefined {
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
  const read: RawRelation = readMembers(
    relation,
    RELATION_MEMBERS,
    RELATION_MEMBER_CODES,
    below(place, 'relation'),
    faults,
  );
  return read;
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

function below(place: Place, ...segments: readonly (string | number)[]): Place {
  return { ...place, path: jsonPointer(place.path, ...segments) };
}
