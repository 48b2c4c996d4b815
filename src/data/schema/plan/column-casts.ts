import { fieldType } from '../../model/field-types.js';
import type { LinkedColumn } from '../../model/schema-model.types.js';

/**
 * Converts the values of a column into those of another type. `invalid` finds the rows that cannot be converted, `changed`
 * those that would not keep their value; both are conditions over the column as it is before.
 */
export interface ColumnCast {
  readonly using: string;
  readonly invalid?: string;
  readonly changed?: string;
}

const SAFE = 2n ** 53n;
const FLOAT32_SAFE = 2n ** 24n;
const LARGEST_FLOAT32 = '3.4028234663852886e38';

/** Returns whether a column needs another SQL type; types that share one differ in checks only. */
export function needsCast(from: LinkedColumn, to: LinkedColumn): boolean {
  return from.sqlType !== to.sqlType;
}

/** Returns whether the values of a column can be converted; if not, it gives way to a new one. */
export function keepsValues(from: LinkedColumn, to: LinkedColumn): boolean {
  return !needsCast(from, to) || columnCast(from, to, '') !== undefined;
}

/** Returns the cast from one column type to another; `c` is the quoted column. `undefined` where there is none. */
export function columnCast(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const [source, target] = [fieldType(from.type).family, fieldType(to.type).family];
  if (target === 'json') return source === 'bytes' ? undefined : { using: toJson(from, c) };
  const isFromText = source === 'string' || source === 'enum';
  if (target === 'string' || (target === 'enum' && isFromText)) return toText(from, to, c);
  if (isFromText) return fromText(to, c);
  if (target === 'integer') return toInteger(from, to, c);
  if (target === 'float') return toFloat(from, to, c);
  if (target === 'boolean' && source === 'integer') return { using: `${c} <> 0`, changed: `${c} NOT IN (0, 1)` };
  return undefined;
}

/** Returns a column as the API answers it: whole numbers that a number of JSON would round are text. */
function toJson(from: LinkedColumn, c: string): string {
  const { family, range } = fieldType(from.type);
  if (family !== 'integer' || !range || (range[0] > -SAFE && range[1] < SAFE)) return `to_jsonb(${c})`;
  return `CASE WHEN ${c} > -${SAFE} AND ${c} < ${SAFE} THEN to_jsonb(${c}) ELSE to_jsonb(${c}::text) END`;
}

function toText(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const text = asText(from, c);
  if (text === undefined) return undefined;
  const limit = varcharSize(to);
  const known = longestText(from);
  const using = `${text}::${to.sqlType}`;
  if (limit === undefined || (known !== undefined && known <= limit)) return { using };
  return { using, invalid: `char_length(${text}) > ${limit}` };
}

/** Returns the text of a value, as the API answers it. */
function asText(from: LinkedColumn, c: string): string | undefined {
  switch (fieldType(from.type).family) {
    case 'bytes':
    case 'relation':
    case 'file':
      return undefined;
    case 'json':
      return `(${c} #>> '{}')`;
    case 'time':
      return `to_char(${c} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case 'string':
    case 'enum':
      return c;
    default:
      return `${c}::text`;
  }
}

function varcharSize(column: LinkedColumn): number | undefined {
  const size = /^varchar\((\d+)\)$/.exec(column.sqlType)?.[1];
  return size === undefined ? undefined : Number(size);
}

function longestText(from: LinkedColumn): number | undefined {
  const longest: Partial<Record<string, number>> = { boolean: 5, uuid: 36, integer: 20, float: 24 };
  return varcharSize(from) ?? longest[fieldType(from.type).family];
}

function fromText(to: LinkedColumn, c: string): ColumnCast | undefined {
  const { family, range } = fieldType(to.type);
  if (family === 'integer' && range) {
    const [min, max] = range;
    const mismatch = `${c}::numeric <> trunc(${c}::numeric) OR ${c}::numeric NOT BETWEEN ${min} AND ${max}`;
    const invalid = `CASE WHEN lintel_input_is_valid(${c}, 'numeric') THEN ${mismatch} ELSE ${c} IS NOT NULL END`;
    return { using: `${c}::numeric::${to.sqlType}`, invalid };
  }
  if (!['boolean', 'float', 'uuid', 'time'].includes(family)) return undefined;
  return { using: `${c}::${to.sqlType}`, invalid: `NOT lintel_input_is_valid(${c}, '${to.sqlType}')` };
}

function toInteger(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const [source, target] = [fieldType(from.type), fieldType(to.type)];
  if (source.family === 'boolean') return { using: `${c}::int::${to.sqlType}` };
  const [min, max] = target.range ?? [0n, 0n];
  const invalid = `${c} NOT BETWEEN ${min} AND ${max}`;
  if (source.family === 'float') {
    return { using: `round(${c})::${to.sqlType}`, invalid, changed: `${c} <> round(${c})` };
  }
  if (source.family !== 'integer' || !source.range) return undefined;
  const fits = source.range[0] >= min && source.range[1] <= max;
  return { using: `${c}::${to.sqlType}`, ...(fits ? {} : { invalid }) };
}

function toFloat(from: LinkedColumn, to: LinkedColumn, c: string): ColumnCast | undefined {
  const { family, range } = fieldType(from.type);
  const using = `${c}::${to.sqlType}`;
  if (family === 'boolean') return { using: `${c}::int::${to.sqlType}` };
  if (family === 'integer' && range) {
    const exact = to.type === 'float64' ? SAFE : FLOAT32_SAFE;
    const fits = range[0] >= -exact && range[1] <= exact;
    return { using, ...(fits ? {} : { changed: `${using}::numeric <> ${c}::numeric` }) };
  }
  if (family !== 'float') return undefined;
  if (to.type === 'float64') return { using };
  return { using, invalid: `abs(${c}) > ${LARGEST_FLOAT32}`, changed: `${using}::double precision <> ${c}` };
}
