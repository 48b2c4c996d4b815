import {
  ENUM_MEMBERS,
  FIELD_DB_MEMBERS,
  FIELD_MEMBERS,
  INDEX_MEMBERS,
  type MemberKind,
  type MemberTable,
  RELATION_MEMBERS,
  RENAME_MEMBERS,
  SCHEMA_DB_MEMBERS,
  SCHEMA_MEMBERS,
} from '../definition/definition-members.js';
import type { JsonObject } from '../model/schema-definition.types.js';
import { typeNames } from '../model/field-types.js';

const TYPES: Readonly<Record<MemberKind, JsonObject>> = {
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  object: { type: 'object' },
  list: { type: 'array' },
  any: {},
};
const NAME = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: 63 };
const ACTION = { enum: ['no_action', 'restrict', 'cascade', 'set_null'] };
const RELATION_TYPES = ['o2o', 'o2m', 'm2o', 'm2m'];

/** JSON Schema (2020-12) of the definition format, made from the tables that definitions are read by. */
export const DEFINITION_JSON_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Lintel schema definition',
  anyOf: [
    { $ref: '#/$defs/schema' },
    { type: 'array', items: { $ref: '#/$defs/schema' } },
    objectOf({ schemas: 'list' }, { schemas: { type: 'array', items: { $ref: '#/$defs/schema' } } }, ['schemas']),
  ],
  $defs: {
    schema: objectOf(
      SCHEMA_MEMBERS,
      {
        name: NAME,
        namespace: NAME,
        fields: { type: 'array', items: { $ref: '#/$defs/field' } },
        db: objectOf(SCHEMA_DB_MEMBERS, { indexes: { type: 'array', items: { $ref: '#/$defs/index' } } }),
        renames: objectOf(RENAME_MEMBERS, { fields: { type: 'object', additionalProperties: { type: 'string' } } }),
      },
      ['name', 'namespace', 'label_field', 'fields'],
    ),
    field: objectOf(
      FIELD_MEMBERS,
      {
        type: { enum: [...typeNames()] },
        name: NAME,
        size: { type: 'integer', minimum: 1 },
        enums: { type: 'array', minItems: 1, items: objectOf(ENUM_MEMBERS, { value: { type: 'string' } }, ['value']) },
        relation: { $ref: '#/$defs/relation' },
        db: objectOf(FIELD_DB_MEMBERS, {}),
      },
      ['type', 'name'],
    ),
    relation: objectOf(
      RELATION_MEMBERS,
      { type: { enum: RELATION_TYPES }, on_delete: ACTION, on_update: ACTION, schema: NAME, field: NAME },
      ['schema', 'type', 'field'],
    ),
    index: objectOf(INDEX_MEMBERS, { columns: { type: 'array', minItems: 1, items: { type: 'string' } } }, ['columns']),
  },
};

function objectOf(members: MemberTable, finer: JsonObject, required: readonly string[] = []): JsonObject {
  const plain = Object.entries(members).map(([name, kind]) => [name, TYPES[kind]] as const);
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: { ...Object.fromEntries(plain), ...finer },
  };
}
