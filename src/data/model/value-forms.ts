import { type FieldTypeRow, fieldType, type TypeFamily } from './field-types.js';
import type { LinkedValueField } from './schema-model.types.js';

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
