import type { FieldType } from '../../../kernel/schema-definition.types.js';
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

/**
 * Returns why a value of a filter does not fit a field, or undefined if it fits. A whole number may be beyond the bounds of its column,
 * so that a comparison with any number is possible.
 */
export function filterMismatch(
  value: FilterScalar,
  { type, enums }: { readonly type: FieldType; readonly enums?: readonly string[] },
): string | undefined {
  if (value === 'now' && type === 'time') return 'it must be an ISO 8601 time';
  if (fieldType(type).family === 'integer') return valueMismatch(value, { type: type === 'uint64' ? type : 'int64' });
  return valueMismatch(value, enums === undefined ? { type } : { type, enums });
}

/** Returns a value of a filter as a parameter, or undefined if it does not fit the type. */
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

/** Returns a number as a column of its type keeps it: what is too small for it is zero. */
export function floatValue(value: number, type: FieldType): number {
  return type === 'float32' ? Math.fround(value) : value;
}
