import fc from 'fast-check';
import { FIELD_TYPE_NAMES, fieldType } from '../../src/data/model/field-types.js';
import { valueMismatch } from '../../src/data/schema/schema.public.js';
import type { FieldType, JsonValue } from '../../src/kernel/schema-definition.types.js';
import { field } from './schema-definitions.js';

/** Result of converting a value: returned unchanged, returned differently, or invalid for the new type. */
export type Verdict = 'kept' | 'changed' | 'invalid';
export const TYPES = FIELD_TYPE_NAMES.filter((type) => fieldType(type).sql !== '');
const ENUMS = ['true', '5', '-1.5', '1e+21', '2026-02-28T10:00:00.000Z', '01890a5d-ac96-774b-bcce-b302099a8057', 'a'];
/** Texts from earlier conversion bugs. */
const TEXTS = [
  ...ENUMS,
  ...'| | 5 |5.0|+5|007|-0|1e3|1.50|0.1|16777217|9007199254740993|18446744073709551616|1000000000000000|0.000001'.split(
    '|',
  ),
  ...'NaN|Infinity|-Infinity|infinity|today|now|03/04/2024|0044-03-15 BC|2026-02-28|2026-02-30|20260228'.split('|'),
  ...'2026-02-28T10:00:00Z|2026-02-28T10:00:00.1239Z|9999-12-31T23:59:59.9999Z|0001-01-01T00:00:00+05:00'.split('|'),
  ...'2026-02-28 10:00|2026-02-28T23:59:60Z|2026-02-28T24:00:00Z|0000-01-01|yes|t|on|1|TRUE|false|null|"x"'.split('|'),
  ...'{"a": 1}|{"a":1}|[1, 2]|1.5|1e-50|1e39|1e400|1e-400|0x10|1_000|١|1e-7|123456789.125|3.4028235e+38'.split('|'),
  ...'01890A5D-AC96-774B-BCCE-B302099A8057|{01890a5d-ac96-774b-bcce-b302099a8057}|01890a5dac96774bbcceb302099a8057'.split(
    '|',
  ),
  'x'.repeat(255),
  '1.2345678901234567',
];
const NUMBERS = [
  0,
  1,
  -1,
  5,
  127,
  128,
  255,
  256,
  -128,
  -129,
  32_767,
  65_536,
  16_777_216,
  16_777_217,
  2 ** 31,
  2 ** 53 - 1,
];
const WIDE = [
  '9007199254740993',
  '9223372036854775807',
  '1152921504606846976',
  '18446744073709551615',
  '-9223372036854775808',
];
const FLOATS = [
  0.1,
  1.5,
  -2.5,
  1e-7,
  1e15,
  1e21,
  2 ** 53,
  2 ** 60,
  2 ** 63,
  1e-50,
  1e39,
  5e-324,
  1.7976931348623157e308,
];
/** PostgreSQL prints the last value with 7 digits as real and with 16 as double precision. */
const FLOAT32S = [3.4028235e38, 1e-45, 1e-40, 16_777_216, 123_456.79, 828_809_200_000_000_000_000];

/** Random values, in addition to those from earlier bugs. */
const random = <T>(arbitrary: fc.Arbitrary<T>, count = 12): T[] => fc.sample(arbitrary, count);
const CANDIDATES: Readonly<Record<string, () => readonly JsonValue[]>> = {
  boolean: () => [true, false],
  time: () => [
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '2026-02-28T10:00:00.120Z',
    ...random(fc.date({ min: new Date('0001-01-02'), max: new Date('9999-01-01'), noInvalidDate: true })).map((at) =>
      at.toISOString(),
    ),
  ],
  json: () => [
    ...TEXTS,
    ...NUMBERS,
    ...FLOATS.filter((value) => value > 1e-100 && value < 1e100),
    true,
    {},
    [],
    { a: { b: [1, 'x', null] } } as JsonValue,
    [1, 'a'],
  ],
  uuid: () => random(fc.uuid()),
  bytes: () => ['', 'AAEC', '/////w=='],
  enum: () => ENUMS,
  // PostgreSQL formats some whole numbers above 2^53 with different digits than JavaScript, and then reports a change.
  string: () => [
    ...TEXTS,
    ...random(fc.double({ noNaN: true, noDefaultInfinity: true }))
      .filter((value) => Math.abs(value) < 2 ** 53 || Math.abs(value) > 1e25)
      .map(String),
  ],
  integer: () => [...NUMBERS, ...WIDE, ...random(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n })).map(wireInteger)],
  float: () => [
    ...NUMBERS,
    ...FLOATS,
    ...FLOAT32S,
    ...random(fc.float({ noNaN: true, noDefaultInfinity: true })).filter((value) => value !== 0),
    ...random(fc.double({ noNaN: true, noDefaultInfinity: true })).filter((value) => value !== 0),
  ],
};

function wireInteger(value: bigint): JsonValue {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

const rules = (type: FieldType) => ({ type, enums: ENUMS, ...(type === 'string' ? { size: 255 } : {}) });
export const definitionOf = (type: FieldType, name: string) =>
  field(type, name, { optional: true, ...(type === 'enum' ? { enums: ENUMS.map((value) => ({ value })) } : {}) });

/** Returns a float32 value as the API formats it: with the fewest digits. */
function shortest(float: number): number {
  const value = Math.fround(float);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return text;
  }
  return value;
}

export function candidates(type: FieldType): readonly JsonValue[] {
  const all = CANDIDATES[fieldType(type).family]!().filter((value) => valueMismatch(value, rules(type)) === undefined);
  return type === 'float32' ? all.map((value) => shortest(value as number)) : all;
}

function readText(text: string, type: FieldType): JsonValue | undefined {
  const { family } = fieldType(type);
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  if (family === 'boolean') return { true: true, false: false }[text];
  if (family === 'float')
    return isNumber && !(Number(text) === 0 && /^[^eE]*[1-9]/.test(text)) ? Number(text) : undefined;
  if (family === 'integer') return /^-?\d{1,20}$/.test(text) ? text : undefined;
  return text === 'now' && family === 'time' ? undefined : text;
}

function textOf(value: JsonValue, type: FieldType): string {
  const { family } = fieldType(type);
  if (family === 'integer') return String(BigInt(value as number | string));
  if (family === 'float') return String(type === 'float32' ? shortest(Number(value)) : Number(value));
  if (family === 'time') return new Date(value as string).toISOString();
  return family === 'uuid' ? (value as string).toLowerCase() : String(value as string | boolean);
}

/** Returns whether a JSON string would be parsed as a different JSON value when it becomes plain text. */
function looksLikeJson(value: JsonValue): boolean {
  return (
    typeof value === 'string' &&
    /^(true|false|-?(0|[1-9]\d*)(\.\d+)?|\{"a": 1\}|\[1, 2\]|\{\}|\[\])$/.test(value) &&
    value !== '-0'
  );
}

/** Computes the expected result of a conversion, independently of the SQL. */
export function verdict(value: JsonValue, from: FieldType, to: FieldType): Verdict {
  const [source, target] = [fieldType(from).family, fieldType(to).family];
  if (from === to || target === 'json') return 'kept';
  if (source === 'json') {
    const isLong = to === 'string' && typeof value === 'string' && value.length > 255;
    return isLong ? 'invalid' : looksLikeJson(value) ? 'changed' : 'kept';
  }
  if (source === 'boolean') return 'kept';
  if (target === 'boolean' && source === 'integer')
    return Number(value) === 0 || Number(value) === 1 ? 'kept' : 'changed';
  const text = textOf(value, from);
  if (source === 'float' && target === 'integer') return fromFloat(Number(value), to);
  const read =
    source === 'float' || source === 'integer' ? (target === 'float' ? Number(text) : text) : readText(text, to);
  if (read === undefined || valueMismatch(read, rules(to)) !== undefined) return 'invalid';
  return textOf(read, to) === text ? 'kept' : 'changed';
}

function fromFloat(value: number, to: FieldType): Verdict {
  const rounded = BigInt(Math.abs(value) >= 1e21 ? '9'.repeat(22) : Math.sign(value) * Math.round(Math.abs(value)));
  if (valueMismatch(String(BigInt(Number(rounded).toLocaleString('fullwide', { useGrouping: false }))), rules(to)))
    return 'invalid';
  return Number.isInteger(value) ? 'kept' : 'changed';
}
