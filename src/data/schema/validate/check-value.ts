import { isStorable } from '../../../kernel/text/storable-text.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldType, JsonValue } from '../../../kernel/schema-definition.types.js';

export interface ValueRules {
  readonly type: FieldType;
  readonly size?: number;
  readonly enums?: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TIME = /^(?!0000)(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
/** Near the first and last year, an offset can lead to a year outside 1 to 9999. */
const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z');
const YEAR_10000 = Date.UTC(10_000, 0);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UNSTORABLE_TEXT = 'it has characters that cannot be stored';
const DIGITS = /^-?\d{1,20}$/;
/** Strings up to this length, including a sign, convert to a number without loss. */
const SAFE_DIGITS = 15;
const TOO_SMALL = {
  float32: 'it is too close to 0: the smallest number is 1.4e-45',
  float64: 'it is too close to 0: the smallest number is 5e-324',
};
const TOO_LARGE = {
  float32: 'it must be from -3.4028235e38 to 3.4028235e38',
  float64: 'it must be from -1.7976931348623157e308 to 1.7976931348623157e308',
};
/** Maximum enum values listed in an error message. @internal */
const MAX_LISTED = 20;
export const ROUNDED = 'it has a number that would be rounded: write it as text';

/** Returns why a JSON value does not fit a field, as text, or `undefined` if it fits. */
export function valueMismatch(value: JsonValue, rules: ValueRules): string | undefined {
  const { family, range } = fieldType(rules.type);
  switch (family) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'it must be true or false';
    case 'time':
      return isTime(value) ? undefined : 'it must be an ISO 8601 time, or "now"';
    case 'uuid':
      return typeof value === 'string' && UUID.test(value) ? undefined : 'it must be a UUID';
    case 'bytes':
      return bytesMismatch(value, rules.size);
    case 'enum':
      return typeof value === 'string' && rules.enums?.includes(value) ? undefined : enumMismatch(rules.enums ?? []);
    case 'string':
      return textMismatch(value, rules.size);
    case 'integer':
      return range && integerMismatch(value, range);
    case 'float':
      return floatMismatch(value, rules.type);
    case 'json':
      return jsonMismatch(value);
    case 'relation':
    case 'file':
      return 'a relation has no value itself';
  }
}

function isTime(value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return value === 'now';
  const day = TIME.exec(value)?.[1];
  return day !== undefined && isInMonth(day) && at >= FIRST_YEAR && at < YEAR_10000;
}

/** Rejects days that do not exist. JavaScript converts February 30 to a day in March. */
function isInMonth(day: string): boolean {
  return Number(day.slice(8)) <= 28 || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Returns why a number that was rounded by the JSON parser does not fit a field, as text, or `undefined` if it fits. */
export function roundedMismatch(value: unknown, type: FieldType): string | undefined {
  const { family } = fieldType(type);
  if (family === 'float') return value === 0 ? TOO_SMALL[type === 'float32' ? type : 'float64'] : undefined;
  return family === 'json' || (family === 'integer' && Number.isSafeInteger(value)) ? ROUNDED : undefined;
}

function textMismatch(value: JsonValue, size: number | undefined): string | undefined {
  if (typeof value !== 'string') return 'it must be text';
  if (!isStorable(value)) return UNSTORABLE_TEXT;
  // A character may have two UTF-16 units, so the length is checked first.
  return size !== undefined && value.length > size && [...value].length > size
    ? `it is longer than ${size}`
    : undefined;
}

function bytesMismatch(value: JsonValue, size: number | undefined): string | undefined {
  if (typeof value !== 'string' || !BASE64.test(value)) return 'it must be bytes in base64';
  return size !== undefined && Buffer.byteLength(value, 'base64') > size ? `it is longer than ${size}` : undefined;
}

function integerMismatch(value: JsonValue, [min, max]: readonly [bigint, bigint]): string | undefined {
  const digits = typeof value === 'string' && DIGITS.test(value);
  if (!digits && !Number.isSafeInteger(value)) {
    if (!Number.isInteger(value)) return 'it must be a whole number';
    const isWithin = Number(value) >= min && Number(value) <= max;
    return isWithin ? 'numbers beyond 2^53 must be sent as text' : `it must be from ${min} to ${max}`;
  }
  // Numbers compare with bigints exactly, and are created faster.
  const number = digits && value.length > SAFE_DIGITS ? BigInt(value) : Number(value);
  return number < min || number > max ? `it must be from ${min} to ${max}` : undefined;
}

function enumMismatch(values: readonly string[]): string {
  return values.length <= MAX_LISTED ? `it must be one of ${values.join(', ')}` : 'it must be one of the enum values';
}

function floatMismatch(value: JsonValue, type: FieldType): string | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return 'it must be a number';
  const stored = type === 'float32' ? Math.fround(value) : value;
  // JSON allows `1e999`, which is parsed as infinity.
  if (!Number.isFinite(stored)) return TOO_LARGE[type === 'float32' ? type : 'float64'];
  return stored === 0 && value !== 0 ? TOO_SMALL.float32 : undefined;
}

/** Checks all numbers, strings and names of a JSON value in one pass. The parser has limited the depth. */
function jsonMismatch(value: JsonValue): string | undefined {
  // `1e999` is valid JSON, but not a finite number, and would be stored as null.
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'it has a number beyond 1.7976931348623157e308';
  if (typeof value === 'string') return isStorable(value) ? undefined : UNSTORABLE_TEXT;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return firstMismatch(value as readonly JsonValue[]);
  // `Object.entries` is several times slower for large objects.
  const members = value as Readonly<Record<string, JsonValue>>;
  for (const name in members) {
    const mismatch = isStorable(name) ? jsonMismatch(members[name] ?? null) : UNSTORABLE_TEXT;
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function firstMismatch(values: readonly JsonValue[]): string | undefined {
  for (const value of values) {
    const mismatch = jsonMismatch(value);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}
