import { FIELD_TYPE_NAMES, typeNames } from '../../model/field-types.js';
import type { JsonObject } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS, IMAGE_FITS, IMAGE_SIZE_NAME } from '../../model/schema-limits.js';
import {
  ENUM_MEMBERS,
  FIELD_DB_MEMBERS,
  FIELD_MEMBERS,
  FILE_MEMBERS,
  INDEX_MEMBERS,
  RELATION_MEMBERS,
  RENAME_MEMBERS,
  SCHEMA_MEMBERS,
  type MemberKind,
  type MemberTable,
} from './definition-node.js';

const IDENTIFIER = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  maxLength: SCHEMA_LIMITS.identifierBytes,
} as const;
const ACTION = { enum: ['no_action', 'restrict', 'cascade', 'set_null'] } as const;

const KINDS: Readonly<Record<MemberKind, JsonObject>> = {
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  object: { type: 'object' },
  list: { type: 'array' },
  any: {},
};

/** Returns the JSON Schema (draft 2020-12) of a document with definitions, for editors. It does not check links between schemas. */
export function definitionJsonSchema(): JsonObject {
  const relation = objectOf(RELATION_MEMBERS, ['schema', 'type', 'field'], {
    schema: IDENTIFIER,
    field: IDENTIFIER,
    type: { enum: ['o2o', 'o2m', 'm2o', 'm2m'] },
    on_delete: ACTION,
    on_update: ACTION,
    on_erase: { enum: ['delete', 'keep', 'anonymise'] },
    source_column: IDENTIFIER,
    target_column: IDENTIFIER,
    junction_table: IDENTIFIER,
  });
  const enums = {
    type: 'array',
    minItems: 1,
    maxItems: SCHEMA_LIMITS.enums,
    items: objectOf(ENUM_MEMBERS, ['value'], { value: { type: 'string', minLength: 1 } }),
  };
  const field = objectOf(FIELD_MEMBERS, ['type', 'name'], {
    type: { enum: [...new Set([...FIELD_TYPE_NAMES, ...typeNames()])] },
    name: IDENTIFIER,
    label: { type: 'string', maxLength: SCHEMA_LIMITS.label },
    size: { type: 'integer', minimum: 0, maximum: SCHEMA_LIMITS.textSize },
    setter: { type: 'string', maxLength: SCHEMA_LIMITS.expression },
    getter: { type: 'string', maxLength: SCHEMA_LIMITS.expression },
    enums,
    file: objectOf(FILE_MEMBERS, [], {
      types: { type: 'array', minItems: 1, maxItems: SCHEMA_LIMITS.fileTypes, items: { type: 'string' } },
      max_size: { type: 'integer', minimum: 1 },
      quota: { type: 'integer', minimum: 1 },
      sizes: imageSizes(),
    }),
    relation,
    db: objectOf(FIELD_DB_MEMBERS, [], { column: IDENTIFIER }),
  });
  const requirements = [requiredWith('enum', 'enums'), requiredWith('relation', 'relation')];
  const schema = objectOf(SCHEMA_MEMBERS, ['name'], {
    name: IDENTIFIER,
    namespace: IDENTIFIER,
    audit: { enum: [true, false, 'values'] },
    fields: { type: 'array', maxItems: SCHEMA_LIMITS.fields, items: { ...field, allOf: requirements } },
    db: { type: 'object', additionalProperties: false, properties: { indexes: indexList() } },
    renames: objectOf(RENAME_MEMBERS, [], {
      fields: { type: 'object', additionalProperties: { type: 'string' } },
    }),
  });
  return document(schema);
}

function document(schema: JsonObject): JsonObject {
  const list = { type: 'array', maxItems: SCHEMA_LIMITS.schemas, items: { $ref: '#/$defs/schema' } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Schema definitions',
    anyOf: [{ $ref: '#/$defs/schema' }, list, objectOf({ schemas: 'list' }, ['schemas'], { schemas: list })],
    $defs: { schema },
  };
}

function imageSizes(): JsonObject {
  const side = { type: 'integer', minimum: 1, maximum: SCHEMA_LIMITS.imageSide };
  const fit = { enum: [...IMAGE_FITS] };
  const size = { type: 'object', additionalProperties: false, properties: { width: side, height: side, fit } };
  return {
    type: 'object',
    minProperties: 1,
    maxProperties: SCHEMA_LIMITS.imageSizes,
    propertyNames: { pattern: IMAGE_SIZE_NAME.source },
    additionalProperties: { ...size, anyOf: [{ required: ['width'] }, { required: ['height'] }] },
  };
}

function indexList(): JsonObject {
  const columns = { type: 'array', minItems: 1, maxItems: SCHEMA_LIMITS.indexColumns, items: { type: 'string' } };
  const items = objectOf(INDEX_MEMBERS, ['columns'], { name: IDENTIFIER, columns });
  return { type: 'array', maxItems: SCHEMA_LIMITS.indexes, items };
}

function objectOf(members: MemberTable, required: readonly string[], knownProperties: JsonObject): JsonObject {
  const properties = Object.entries(members).map(
    ([name, kind]) => [name, knownProperties[name] ?? KINDS[kind]] as const,
  );
  return { type: 'object', additionalProperties: false, required, properties: Object.fromEntries(properties) };
}

function requiredWith(type: string, member: string): JsonObject {
  return { anyOf: [{ properties: { type: { not: { const: type } } } }, { required: [member] }] };
}
