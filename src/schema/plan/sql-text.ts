import { isTooLong } from '../model/identifiers.js';
import { fieldType } from '../model/field-types.js';
import type { JsonValue } from '../model/schema-definition.types.js';
import type { LinkedColumn } from '../model/schema-model.types.js';

/**
 * The one function that writes an identifier into SQL. Throws for what cannot be an identifier (empty, over 63 bytes,
 * with a NUL), which would otherwise be cut off and mean something else.
 */
export function quoteIdentifier(name: string): string {
  if (name === '' || isTooLong(name) || name.includes('\0')) throw new RangeError('This is not an SQL identifier.');
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes several identifiers, separated by commas. */
export function quoteIdentifiers(names: readonly string[]): string {
  return names.map(quoteIdentifier).join(', ');
}

/** Writes a text literal, safe whatever `standard_conforming_strings` says. */
export function quoteText(text: string): string {
  if (text.includes('\0')) throw new RangeError('Text with a NUL cannot be stored.');
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** Writes the default of a column as an SQL expression. */
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
