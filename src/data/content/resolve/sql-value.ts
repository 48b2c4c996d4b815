import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { isUuid } from '../../../kernel/random.js';
import { fieldType } from '../../model/field-types.js';
import { valueMismatch } from '../../schema/schema.public.js';
import type { FilterScalar } from '../request/list-query.types.js';

/** Returns the SQL type that a value is compared as: wide enough for every value, and served by the indexes of the column. */
export function comparedAs(type: FieldType): string {
  const { family } = fieldType(type);
  if (family === 'integer') return type === 'uint64' ? 'numeric' : 'bigint';
  if (family === 'float') return type === 'float32' ? 'real' : 'double precision';
  if (family === 'time') return 'timestamptz';
  if (family === 'string' || family === 'enum') return 'text';
  return fieldType(type).sql;
}

/** Returns a value of a filter as a parameter, or undefined if it does not fit the field. */
export function filterValue(value: FilterScalar, type: FieldType): unknown {
  const { family } = fieldType(type);
  if (family === 'string' || family === 'enum') return typeof value === 'string' ? value : undefined;
  if (family === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (family === 'uuid') return uuidValue(value);
  if (family === 'time') return value === 'now' || valueMismatch(value, { type }) ? undefined : isoTime(value);
  if (family === 'float') return valueMismatch(value, { type }) ? undefined : floatValue(Number(value), type);
  if (family !== 'integer') return undefined;
  const bounds = type === 'uint64' ? 'uint64' : 'int64';
  return valueMismatch(value, { type: bounds }) ? undefined : BigInt(value).toString();
}

/** Returns a number as a column of its type keeps it: what is too small for it is zero. */
export function floatValue(value: number, type: FieldType): number {
  return type === 'float32' ? Math.fround(value) : value;
}

function uuidValue(value: FilterScalar): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return isUuid(text) ? text : undefined;
}

function isoTime(value: FilterScalar): string {
  return new Date(value as string).toISOString();
}
