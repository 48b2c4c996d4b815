import type { FieldType } from '../../kernel/schema-definition.types.js';
import type { LinkedValueField } from './schema-model.types.js';

export type TypeFamily =
  | 'boolean'
  | 'time'
  | 'json'
  | 'uuid'
  | 'bytes'
  | 'enum'
  | 'string'
  | 'integer'
  | 'float'
  | 'relation'
  | 'file';

export interface FieldTypeRow {
  readonly family: TypeFamily;
  /** PostgreSQL type of the column; empty for types without a column. `varchar` takes the size. */
  readonly sql: string;
  readonly cel: string;
  /** Bounds of an integer, both inclusive. */
  readonly range?: readonly [min: bigint, max: bigint];
  /** True if the SQL type is wider than the range, so that the column needs a check. */
  readonly checked?: boolean;
  /** May be a primary key, and so the target of a foreign key. */
  readonly key?: boolean;
  /** May be indexed, sorted by and unique. */
  readonly indexed?: boolean;
  /** Accepted aliases. Responses contain the canonical name. */
  readonly aliases?: readonly string[];
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const signed = (bits: bigint): readonly [bigint, bigint] => [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
const unsigned = (bits: bigint): readonly [bigint, bigint] => [0n, 2n ** bits - 1n];
const integer = { family: 'integer', cel: 'int', key: true, indexed: true } as const;

/** Field types. `int` and `uint` have the exact range of JSON numbers (2^53 − 1). */
export const FIELD_TYPES = {
  bool: { family: 'boolean', sql: 'boolean', cel: 'bool', indexed: true, aliases: ['boolean'] },
  time: {
    family: 'time',
    sql: 'timestamptz(3)',
    cel: 'google.protobuf.Timestamp',
    indexed: true,
    aliases: ['datetime', 'timestamp', 'date'],
  },
  json: { family: 'json', sql: 'jsonb', cel: 'dyn', aliases: ['object', 'array'] },
  uuid: { family: 'uuid', sql: 'uuid', cel: 'string', key: true, indexed: true },
  bytes: { family: 'bytes', sql: 'bytea', cel: 'bytes' },
  enum: { family: 'enum', sql: 'text', cel: 'string', indexed: true },
  string: { family: 'string', sql: 'varchar', cel: 'string', key: true, indexed: true, aliases: ['varchar'] },
  text: { family: 'string', sql: 'text', cel: 'string', aliases: ['longtext'] },
  int: { ...integer, sql: 'bigint', range: [-SAFE, SAFE], checked: true, aliases: ['integer'] },
  int8: { ...integer, sql: 'smallint', range: signed(8n), checked: true },
  int16: { ...integer, sql: 'smallint', range: signed(16n) },
  int32: { ...integer, sql: 'integer', range: signed(32n) },
  int64: { ...integer, sql: 'bigint', range: signed(64n) },
  uint: { ...integer, sql: 'bigint', range: [0n, SAFE], checked: true },
  uint8: { ...integer, sql: 'smallint', range: unsigned(8n), checked: true },
  uint16: { ...integer, sql: 'integer', range: unsigned(16n), checked: true },
  uint32: { ...integer, sql: 'bigint', range: unsigned(32n), checked: true },
  uint64: { ...integer, sql: 'numeric(20,0)', range: unsigned(64n), checked: true },
  float32: { family: 'float', sql: 'real', cel: 'double', indexed: true },
  float64: {
    family: 'float',
    sql: 'double precision',
    cel: 'double',
    indexed: true,
    aliases: ['number', 'float', 'double'],
  },
  relation: { family: 'relation', sql: '', cel: 'dyn' },
  file: { family: 'file', sql: '', cel: 'dyn' },
} as const satisfies Record<FieldType, FieldTypeRow>;

export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as readonly FieldType[];

const CANONICAL = new Map<string, FieldType>(
  FIELD_TYPE_NAMES.flatMap((type) => [type, ...(fieldType(type).aliases ?? [])].map((name) => [name, type] as const)),
);

export function fieldType(type: FieldType): FieldTypeRow {
  return FIELD_TYPES[type];
}

/** Returns the canonical type of a name or alias; undefined if it is unknown. */
export function canonicalType(name: string): FieldType | undefined {
  return CANONICAL.get(name);
}

export function typeNames(): readonly string[] {
  return [...CANONICAL.keys()];
}

/** Identity columns must have an integer type of the database. `uint64` exceeds these. */
export function isCountable(type: FieldType): boolean {
  return fieldType(type).family === 'integer' && type !== 'uint64';
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Filter operators for a type family. `text` includes `order`, which includes `equality`. */
export type ValueTests = 'none' | 'equality' | 'order' | 'text';

interface ValueForm {
  readonly json: JsonSchema;
  /** Schema for writing, if it accepts more than is returned. */
  readonly written?: JsonSchema;
  readonly typescript: string;
  readonly tests: ValueTests;
}

const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
/** Each alternative has the type `string`, which code generators need. */
const WRITTEN_TIME = { anyOf: [TIME, { type: 'string', format: 'date' }, { type: 'string', const: 'now' }] } as const;

/** JSON forms by type family. OpenAPI, `schema:types` and filters are derived from this table. */
const VALUE_FORMS: Readonly<Record<Exclude<TypeFamily, 'relation' | 'file'>, ValueForm>> = {
  boolean: { json: { type: 'boolean' }, typescript: 'boolean', tests: 'equality' },
  time: { json: TIME, written: WRITTEN_TIME, typescript: 'string', tests: 'order' },
  json: { json: {}, typescript: 'JsonValue', tests: 'none' },
  uuid: { json: { type: 'string', format: 'uuid' }, typescript: 'string', tests: 'order' },
  bytes: {
    json: { type: 'string', format: 'byte', contentEncoding: 'base64' },
    typescript: 'string',
    tests: 'none',
  },
  enum: { json: TEXT, typescript: 'string', tests: 'text' },
  string: { json: TEXT, typescript: 'string', tests: 'text' },
  integer: { json: { type: 'integer' }, typescript: 'number', tests: 'order' },
  float: { json: { type: 'number' }, typescript: 'number', tests: 'order' },
};

export function testsOf(family: TypeFamily): ValueTests {
  return family === 'relation' || family === 'file' ? 'none' : VALUE_FORMS[family].tests;
}

export function valueSchema(field: LinkedValueField, use: 'read' | 'written', nullable: boolean): JsonSchema {
  const row = fieldType(field.type);
  const form = formOf(row);
  const schema = { ...(use === 'written' ? (form.written ?? form.json) : form.json), ...limitsOf(field, row) };
  return nullable ? orNull(schema) : schema;
}

export function valueTypeScript(field: LinkedValueField): string {
  const row = fieldType(field.type);
  if (row.family === 'enum') return (field.enums ?? []).map((value) => JSON.stringify(value)).join(' | ') || 'string';
  return isWide(row) ? 'number | string' : formOf(row).typescript;
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  if (type === undefined) return schema;
  const listed = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { type: [...[type].flat(), 'null'], ...rest, ...listed };
}

function formOf({ family }: FieldTypeRow): ValueForm {
  if (family === 'relation' || family === 'file') throw new TypeError('A relation has no value itself.');
  return VALUE_FORMS[family];
}

/** Integers beyond 2^53 are sent as text, because JSON numbers would lose digits. */
function isWide({ range }: FieldTypeRow): boolean {
  return range !== undefined && range[1] > BigInt(Number.MAX_SAFE_INTEGER);
}

function limitsOf({ type, size, enums }: LinkedValueField, row: FieldTypeRow): JsonSchema {
  const { family, range } = row;
  if (family === 'enum') return { enum: enums ?? [] };
  if (family === 'float') return { format: type === 'float32' ? 'float' : 'double' };
  if (family === 'bytes') return size === undefined ? {} : { maxLength: Math.ceil(size / 3) * 4 };
  if (family === 'string') return size === undefined ? {} : { maxLength: size };
  if (range === undefined) return {};
  if (isWide(row))
    return { type: ['integer', 'string'], format: type, pattern: range[0] < 0n ? '^-?\\d{1,19}$' : '^\\d{1,20}$' };
  return { format: type, minimum: Number(range[0]), maximum: Number(range[1]) };
}
