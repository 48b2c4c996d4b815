import { fieldType } from '../../../model/field-types.js';
import type { JsonValue } from '../../../../kernel/schema-definition.types.js';
import type { LinkedValueField } from '../../../model/schema-model.types.js';
import { valueMismatch } from '../../../schema/schema.public.js';
import { comparedAs, floatValue } from '../sql-value.js';
import type { WrittenValue } from './write.types.js';

const SECONDS_PRECISION = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ$/;
const DIGITS = /^(?:0|-?[1-9]\d*)$/;

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
