import { fieldType } from '../../model/field-types.js';
import type { JsonValue } from '../../../kernel/schema-definition.types.js';
import type { LinkedColumn } from '../../model/schema-model.types.js';

/** Writes a text literal, safe whatever `standard_conforming_strings` says. */
export function quoteText(text: string): string {
  if (text.includes('\0')) throw new RangeError('Text with a NUL cannot be stored.');
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

export function defaultExpression(column: LinkedColumn, value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  switch (fieldType(column.type).family) {
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'integer':
      return BigInt(typeof value === 'number' || typeof value === 'string' ? value : 0).toString();
    case 'float':
      return `${Number(value)}::${column.sqlType}`;
    case 'time':
      return value === 'now' ? 'now()' : `${quoteText(text)}::${column.sqlType}`;
    case 'json':
      return `${quoteText(JSON.stringify(value))}::jsonb`;
    case 'bytes':
      return `'\\x${Buffer.from(text, 'base64').toString('hex')}'::bytea`;
    default:
      return `${quoteText(text)}::${column.sqlType}`;
  }
}
