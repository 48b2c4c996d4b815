import { memoize } from '../../../kernel/memoize.js';
import { newId } from '../../../kernel/keys/random.js';
import type { FieldType, JsonValue } from '../../../kernel/schema-definition.types.js';
import { fieldType } from '../../model/field-types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { valueMismatch } from '../../schema/schema.public.js';
import type { FilterScalar } from '../request/list-query.types.js';

const SECONDS_PRECISION = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ$/;
const DIGITS = /^(?:0|-?[1-9]\d*)$/;

export interface WrittenValue {
  readonly value: unknown;
  readonly sqlType: string;
}

/** Returns the SQL type for comparisons. It fits every value and is supported by the indexes of the column. */
export function comparedAs(type: FieldType): string {
  const { family } = fieldType(type);
  if (family === 'integer') return type === 'uint64' ? 'numeric' : 'bigint';
  if (family === 'float') return type === 'float32' ? 'real' : 'double precision';
  if (family === 'time') return 'timestamptz';
  if (family === 'string' || family === 'enum') return 'text';
  return fieldType(type).sql;
}

/**
 * Returns why a filter value does not fit a field, or undefined if it fits. Integers beyond the range of the column are accepted, because
 * any number can be compared.
 */
export function filterMismatch(
  value: FilterScalar,
  { type, enums }: { readonly type: FieldType; readonly enums?: readonly string[] },
): string | undefined {
  if (value === 'now' && type === 'time') return 'it must be an ISO 8601 time';
  if (fieldType(type).family === 'integer') return valueMismatch(value, { type: type === 'uint64' ? type : 'int64' });
  return valueMismatch(value, enums === undefined ? { type } : { type, enums });
}

export function filterValue(value: FilterScalar, type: FieldType): unknown {
  const { family } = fieldType(type);
  if (family === 'enum') return typeof value === 'string' ? value : undefined;
  if (filterMismatch(value, { type }) !== undefined) return undefined;
  if (family === 'uuid') return String(value).toLowerCase();
  if (family === 'time') return new Date(value as string).toISOString();
  if (family === 'float') return floatValue(Number(value), type);
  if (family === 'integer') return BigInt(value).toString();
  return family === 'string' || family === 'boolean' ? value : undefined;
}

export function floatValue(value: number, type: FieldType): number {
  return type === 'float32' ? Math.fround(value) : value;
}

/** Returns why a value does not fit a field, or undefined if it fits. */
export function writeMismatch(value: unknown, field: LinkedValueField): string | undefined {
  if (value === null) return field.optional ? undefined : 'it cannot be empty';
  const { family } = fieldType(field.type);
  if (family !== 'json' && typeof value === 'object') return 'it must be a plain value';
  return valueMismatch(value as JsonValue, field);
}

export function writtenValue(value: unknown, field: LinkedValueField, now: Date): WrittenValue {
  const sqlType = comparedAs(field.type);
  return { value: value === null ? null : parameterOf(value, field, now), sqlType };
}

function parameterOf(value: unknown, field: LinkedValueField, now: Date): unknown {
  switch (fieldType(field.type).family) {
    case 'time':
      return value === 'now' ? now.toISOString() : timeText(value as string);
    case 'json':
      return JSON.stringify(value);
    case 'bytes':
      return Buffer.from(value as string, 'base64');
    case 'float':
      return floatValue(Number(value), field.type);
    case 'integer':
      return typeof value === 'string' && DIGITS.test(value) ? value : BigInt(value as number | string).toString();
    default:
      return value;
  }
}

/** Converts a time to ISO 8601 in UTC. The usual form does not need `Date`. */
function timeText(value: string): string {
  return SECONDS_PRECISION.test(value) ? `${value.slice(0, -1)}.000Z` : new Date(value).toISOString();
}

export function generatedValues(schema: LinkedSchema, now: Date, id = newId()): Map<string, WrittenValue> {
  const values = new Map<string, WrittenValue>();
  const key = generatedFields(schema).get('uuid');
  if (key) values.set(key.column, { value: id, sqlType: 'uuid' });
  for (const name of ['created_at', 'updated_at'] as const) {
    const field = generatedFields(schema).get(name);
    if (field) values.set(field.column, timeValue(now));
  }
  return values;
}

/** Returns the column with the time of the last change, if the schema has one. */
export function updatedAtOf(schema: LinkedSchema, now: Date): ReadonlyMap<string, WrittenValue> {
  const field = generatedFields(schema).get('updated_at');
  return new Map(field ? [[field.column, timeValue(now)]] : []);
}

/** The first field of each kind of generated value. */
const generatedFields = memoize((schema: LinkedSchema) => {
  const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
  return new Map(values.toReversed().map((field) => [field.generated, field]));
});

/** Writes with the same time share one value, which lets the writer recognise equal rows. */
export const timeValue = memoize((now: Date): WrittenValue => ({ value: now.toISOString(), sqlType: 'timestamptz' }));
