import { fieldType } from '../../model/field-types.js';
import type { LinkedColumn } from '../../model/schema-model.types.js';

const SAFE = 2n ** 53n;
const INTEGER = '^-?[0-9]{1,20}$';
const NUMBER = '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$';
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const CLOCK = '(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?|24:00(:00([.]0{1,9})?)?)';
const TIME = `^[0-9]{4}-[0-9]{2}-[0-9]{2}(T${CLOCK}(Z|[+-][0-9]{2}:[0-5][0-9]))?$`;

/** Returns the text of a value as the API returns it, as SQL; `undefined` for types without one. */
export function textOf(column: LinkedColumn, c: string): string | undefined {
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

/** Returns a value as the JSON that the API returns, as SQL: whole numbers that a JSON number would round are text. */
export function jsonOf(column: LinkedColumn, c: string): string {
  const { family, range } = fieldType(column.type);
  if (family === 'time') return `to_jsonb(${textOf(column, c)})`;
  if (family !== 'integer' || !range || (range[0] > -SAFE && range[1] < SAFE)) return `to_jsonb(${c})`;
  return `CASE WHEN ${c} > -${SAFE} AND ${c} < ${SAFE} THEN to_jsonb(${c}) ELSE to_jsonb(${c}::text) END`;
}

/**
 * Returns the condition for text that is no input of a type, by the rules of its values in requests, not by those of PostgreSQL,
 * which also reads `NaN`, `today`, `03/04/2024` and ` 5 `. `undefined` for types that text is not converted to.
 */
export function isNoInput(to: LinkedColumn, c: string): string | undefined {
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
  // Near the first and the last year an offset leads to a year without a form in four digits.
  const isOutside = `${at} < '0001-01-01T00:00:00Z' OR ${at} >= '10000-01-01T00:00:00Z'`;
  return `CASE WHEN ${isTime} THEN ${isOutside} ELSE ${c} IS NOT NULL END`;
}

/**
 * Returns text that is a time as PostgreSQL must read it, as SQL: a day is its beginning in UTC, whatever the time zone of the
 * session, and milliseconds are cut off, not rounded, as in requests.
 */
export function timeInput(c: string): string {
  return `regexp_replace(CASE WHEN ${c} LIKE '%T%' THEN ${c} ELSE ${c} || 'T00:00Z' END, '([.][0-9]{3})[0-9]+', E'\\\\1')`;
}

/** Returns the text that JSON has for a float; PostgreSQL begins with exponents elsewhere, and writes them with two digits. */
function floatText(c: string): string {
  const size = `abs(${c}::text::double precision)`;
  const short = `replace(replace(${c}::text, 'e-0', 'e-'), 'e+0', 'e+')`;
  return `CASE WHEN ${c} = 0 THEN '0' WHEN ${size} >= 1e-6 AND ${size} < 1e21 THEN to_jsonb(${c}) #>> '{}' ELSE ${short} END`;
}
