import type { FieldType } from '../../kernel/schema-definition.types.js';
import { fieldType } from '../model/field-types.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from '../model/schema-model.types.js';
import type { ExpressionTypes } from './expression.types.js';

const TIME = 'google.protobuf.Timestamp';

/**
 * Converts a database value for CEL: whole numbers to `bigint`, times to `Date`, base64 to bytes. Only `dyn<…>` accepts
 * `null`.
 */
export function toCelValue(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  const bare = bareType(type);
  if (bare === 'int') return typeof value === 'number' || typeof value === 'string' ? BigInt(value) : value;
  if (bare === 'double') return typeof value === 'string' ? Number(value) : value;
  if (bare === TIME) return typeof value === 'string' ? new Date(value) : value;
  if (bare === 'bytes') return typeof value === 'string' ? Buffer.from(value, 'base64') : value;
  return value;
}

/** Converts a CEL result to JSON types: integers beyond 2^53 and bytes become text, times become ISO 8601. */
export function fromCelValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(fromCelValue);
  if (value instanceof Map) return fromEntries([...value.entries()]);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return fromEntries(Object.entries(value));
  // Other objects are the number and duration types of the library.
  const primitive: unknown = value.valueOf();
  return typeof primitive === 'object' ? null : fromCelValue(primitive);
}

/** Returns the type inside `dyn<…>`. */
export function bareType(type: string): string {
  return /^dyn<(.+)>$/.exec(type)?.[1] ?? type;
}

function fromEntries(entries: readonly (readonly [unknown, unknown])[]): unknown {
  return Object.fromEntries(entries.map(([key, entry]) => [String(key), fromCelValue(entry)]));
}

export interface ExpressionField {
  readonly name: string;
  readonly type: FieldType;
  /** True if it may be null: an optional field, or one generated when the record is stored. */
  readonly nullable: boolean;
}

/**
 * Returns the variables of expressions over records with these fields. Checks and evaluation both use it, so that a
 * checked expression compiles. Nullable fields are `dyn<…>`, which accepts `null`.
 */
export function expressionTypes(fields: readonly ExpressionField[], value?: ExpressionField): ExpressionTypes {
  const record = Object.fromEntries(fields.map((field) => [field.name, variableType(field)]));
  return { record, ...(value ? { value: variableType(value) } : {}) };
}

export function linkedExpressionTypes(schema: LinkedSchema, value?: LinkedValueField): ExpressionTypes {
  const readable = Object.values(schema.fields).filter(({ hidden }) => !hidden);
  return expressionTypes(readable.map(linkedField), value && linkedField(value));
}

function variableType({ type, nullable }: ExpressionField): string {
  const { cel } = fieldType(type);
  return cel !== 'dyn' && nullable ? `dyn<${cel}>` : cel;
}

function linkedField(field: LinkedField): ExpressionField {
  const isGenerated = field.kind === 'value' && field.generated !== undefined;
  return { name: field.name, type: field.type, nullable: field.optional || isGenerated };
}
