import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { fieldType } from '../../model/field-types.js';
import { valueMismatch } from '../../schema/schema.public.js';
import type { FilterScalar } from '../request/list-query.types.js';

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
