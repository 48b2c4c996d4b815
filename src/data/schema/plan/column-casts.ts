import { fieldType } from '../../model/field-types.js';
import type { LinkedColumn } from '../../model/schema-model.types.js';

/**
 * A cast of column values. `invalid` finds rows that cannot be cast. `changed` finds rows that the API would return differently, before or
 * after an undo. Both use the column names before the change.
 */
interface ColumnCast {
  readonly using: string;
  readonly invalid?: string;
  readonly changed?: string;
}

/** `back` reverts a cast. It allows more types, and parses JSON from text that was JSON before. */
export type CastDirection = 'forward' | 'back';

const SAFE = 2n ** 53n;
const FLOAT32_SAFE = 2n ** 24n;
/** Midpoints between the limits of float32 and the next values. Values at or beyond them become infinite or zero. */
const FLOAT32_OVERFLOW = '3.4028235677973366e38';
const FLOAT32_UNDERFLOW = '7.006492321624085e-46';

export function opposite(direction: CastDirection): CastDirection {
  return direction === 'forward' ? 'back' : 'forward';
}

/** Types with the same SQL type differ only in checks. */
export function needsCast(from: LinkedColumn, to: LinkedColumn): boolean {
  return from.sqlType !== to.sqlType;
}

/** Returns true if values can be converted. Otherwise the column is replaced by a new one. */
export function preservesValues(from: LinkedColumn, to: LinkedColumn, direction: CastDirection): boolean {
  return !needsCast(from, to) || columnCast(from, to, '', direction) !== undefined;
}

/** Returns the cast between column types; undefined if there is none. `c` is the quoted column. */
export function columnCast(
  from: LinkedColumn,
  to: LinkedColumn,
  c: string,
  direction: CastDirection = 'forward',
): ColumnCast | undefined {
  const [source, target] = [fieldType(from.type).family, fieldType(to.type).family];
  const isFromText = source === 'string' || source === 'enum';
  if (target === 'json') return source === 'bytes' ? undefined : { using: toJson(from, c, direction) };
  if (source === 'json') return fromJson(to, c, direction);
  if (target === 'string' || (target === 'enum' && (isFromText || direction === 'back'))) return toText(from, to, c);
  if (isFromText) return fromText(from, to, c);
  if (target === 'integer') return toInteger(from, to, c);
  if (target === 'float') return toFloat(from, to, c);
  if (target === 'boolean' && source === 'integer') return { using: `${c} <> 0`, changed: `${c} NOT IN (0, 1)` };
  if (target === 'boolean' && source === 'float' && direction === 'back') {
    return { using: `${c} <> 0`, invalid: `${c} NOT IN (0, 1)` };
  }
  return undefined;
}

/** Converts text to a JSON string. In the direction `back`, text in the JSON format of PostgreSQL is parsed instead. */
function toJson(from: LinkedColumn, c: string, direction: CastDirection): string {
  const { family } = fieldType(from.type);
  if (direction === 'forward' || (family !== 'string' && family !== 'enum')) return jsonOf(from, c);
  const isOther = `jsonb_typeof(${c}::jsonb) NOT IN ('string', 'null')`;
  const isJson = `CASE WHEN lintel_input_is_valid(${c}, 'jsonb') THEN ${c}::jsonb::text = ${c} AND ${isOther} ELSE false END`;
  return `CASE WHEN ${isJson} THEN ${c}::jsonb ELSE to_jsonb(${c}) END`;
}

function fromJson(to: LinkedColumn, c: string, direction: CastDirection): ColumnCast | undefined {
  const { family } = fieldType(to.type);
  const text = `(${c} #>> '{}')`;
  if (family === 'string' || (family === 'enum' && direction === 'back')) {
    const limit = varcharSize(to);
    const changed = `${toJson(to, text, opposite(direction))} IS DISTINCT FROM ${c}`;
    const invalid = limit === undefined ? {} : { invalid: `char_length(${text}) > ${limit}` };
    return { using: `${text}::${to.sqlType}`, ...invalid, changed };
  }
  if (direction === 'forward') return undefined;
  const cast = fromText(undefined, to, text);
  return cast && { ...cast, changed: unless(cast.invalid, `${jsonOf(to, cast.using)} IS DISTINCT FROM ${c}`) };
}

function toText(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const text = textOf(from, c);
  if (text === undefined) return undefined;
  const limit = varcharSize(to);
  const maxLength = maxTextLength(from);
  const using = `${text}::${to.sqlType}`;
  if (limit === undefined || (maxLength !== undefined && maxLength <= limit)) return { using };
  return { using, invalid: `char_length(${text}) > ${limit}` };
}

function varcharSize(column: LinkedColumn): number | undefined {
  const size = /^varchar\((\d+)\)$/.exec(column.sqlType)?.[1];
  return size === undefined ? undefined : Number(size);
}

function maxTextLength(from: LinkedColumn): number | undefined {
  const maxLengths: Partial<Record<string, number>> = { boolean: 5, uuid: 36, integer: 20, float: 25, time: 24 };
  return varcharSize(from) ?? maxLengths[fieldType(from.type).family];
}

/** Converts text in the input format of the new type. Text that the new type formats differently counts as a loss. */
function fromText(from: LinkedColumn | undefined, to: LinkedColumn, c: string): ColumnCast | undefined {
  const { family } = fieldType(to.type);
  const invalid = isNoInput(to, c);
  if (invalid === undefined) return undefined;
  const using = `${family === 'time' ? timeInput(c) : c}::${to.sqlType}`;
  return {
    using,
    invalid,
    ...(family === 'boolean' || !from ? {} : { changed: differs(from, c, to, using, invalid) }),
  };
}

function toInteger(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const [source, target] = [fieldType(from.type), fieldType(to.type)];
  if (source.family === 'boolean') return { using: `${c}::int::${to.sqlType}` };
  const [min, max] = target.range ?? [0n, 0n];
  if (source.family === 'float') {
    // A cast of float to numeric keeps 15 digits, but its text has all of them.
    const rounded = `round(${c}::text::numeric)`;
    const using = `${rounded}::${to.sqlType}`;
    const invalid = `${rounded} NOT BETWEEN ${min} AND ${max}`;
    return { using, invalid, changed: differs(from, c, to, using, invalid) };
  }
  if (source.family !== 'integer' || !source.range) return undefined;
  const fits = source.range[0] >= min && source.range[1] <= max;
  return { using: `${c}::${to.sqlType}`, ...(fits ? {} : { invalid: `${c} NOT BETWEEN ${min} AND ${max}` }) };
}

function toFloat(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const { family, range } = fieldType(from.type);
  const using = `${c}::${to.sqlType}`;
  if (family === 'boolean') return { using: `${c}::int::${to.sqlType}` };
  if (family === 'integer' && range) {
    const exact = to.type === 'float64' ? SAFE : FLOAT32_SAFE;
    const fits = range[0] >= -exact && range[1] <= exact;
    return { using, ...(fits ? {} : { changed: differs(from, c, to, using, undefined) }) };
  }
  if (family !== 'float') return undefined;
  // A direct cast would add digits: 0.1 would become 0.10000000149011612.
  if (to.type === 'float64') return { using: `${c}::text::${to.sqlType}` };
  const invalid = `abs(${c}) >= ${FLOAT32_OVERFLOW} OR (${c} <> 0 AND abs(${c}) <= ${FLOAT32_UNDERFLOW})`;
  // Values are compared as numbers: PostgreSQL can print the same number with more digits as double precision than as real.
  return { using, invalid, changed: unless(invalid, `(${using})::text::double precision <> ${c}`) };
}

function differs(from: LinkedColumn, c: string, to: LinkedColumn, using: string, invalid: string | undefined): string {
  return unless(invalid, `${textOf(to, `(${using})`)} IS DISTINCT FROM ${textOf(from, c)}`);
}

/** Rows that cannot be converted are reported separately, and their conversion must not be evaluated. */
function unless(invalid: string | undefined, condition: string): string {
  return invalid === undefined ? condition : `CASE WHEN ${invalid} THEN false ELSE ${condition} END`;
}

const INTEGER = '^-?[0-9]{1,20}$';
const NUMBER = '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$';
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const CLOCK = '(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?|24:00(:00([.]0{1,9})?)?)';
const TIME = `^[0-9]{4}-[0-9]{2}-[0-9]{2}(T${CLOCK}(Z|[+-][0-9]{2}:[0-5][0-9]))?$`;

function textOf(column: LinkedColumn, c: string): string | undefined {
  switch (fieldType(column.type).family) {
    case 'bytes':
    case 'json':
    case 'relation':
    case 'file':
      return undefined;
    case 'time':
      return `to_char(${c} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case 'string':
    case 'enum':
      return c;
    case 'float':
      return floatText(c);
    default:
      return `${c}::text`;
  }
}

/** Renders a value as the JSON of the API. Integers beyond the range of JSON numbers are text. */
function jsonOf(column: LinkedColumn, c: string): string {
  const { family, range } = fieldType(column.type);
  if (family === 'time') return `to_jsonb(${textOf(column, c)})`;
  if (family !== 'integer' || !range || (range[0] > -SAFE && range[1] < SAFE)) return `to_jsonb(${c})`;
  return `CASE WHEN ${c} > -${SAFE} AND ${c} < ${SAFE} THEN to_jsonb(${c}) ELSE to_jsonb(${c}::text) END`;
}

/** Returns the condition for text that requests would reject. PostgreSQL also accepts `NaN`, `today`, `03/04/2024` and ` 5 `. */
function isNoInput(to: LinkedColumn, c: string): string | undefined {
  const { family, range } = fieldType(to.type);
  if (family === 'boolean') return `${c} NOT IN ('true', 'false')`;
  if (family === 'uuid') return `${c} !~ '${UUID}'`;
  if (family === 'float') return `NOT (${c} ~ '${NUMBER}' AND lintel_input_is_valid(${c}, '${to.sqlType}'))`;
  if (family === 'integer' && range) {
    const [min, max] = range;
    return `CASE WHEN ${c} ~ '${INTEGER}' THEN ${c}::numeric NOT BETWEEN ${min} AND ${max} ELSE ${c} IS NOT NULL END`;
  }
  if (family !== 'time') return undefined;
  const isTime = `${c} ~ '${TIME}' AND lintel_input_is_valid(${c}, 'timestamptz')`;
  const at = `${timeInput(c)}::timestamptz(3)`;
  // Near the first and last year, an offset can lead to a year outside 1 to 9999.
  const isOutside = `${at} < '0001-01-01T00:00:00Z' OR ${at} >= '10000-01-01T00:00:00Z'`;
  return `CASE WHEN ${isTime} THEN ${isOutside} ELSE ${c} IS NOT NULL END`;
}

/** As in requests: a date is midnight UTC in any session, and milliseconds are truncated, not rounded. */
function timeInput(c: string): string {
  return `regexp_replace(CASE WHEN ${c} LIKE '%T%' THEN ${c} ELSE ${c} || 'T00:00Z' END, '([.][0-9]{3})[0-9]+', E'\\\\1')`;
}

/** Returns the JSON text of a float. PostgreSQL switches to exponents at other limits and writes them with two digits. */
function floatText(c: string): string {
  const size = `abs(${c}::text::double precision)`;
  const short = `replace(replace(${c}::text, 'e-0', 'e-'), 'e+0', 'e+')`;
  return `CASE WHEN ${c} = 0 THEN '0' WHEN ${size} >= 1e-6 AND ${size} < 1e21 THEN to_jsonb(${c}) #>> '{}' ELSE ${short} END`;
}
