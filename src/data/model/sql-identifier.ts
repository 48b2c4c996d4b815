import { isTooLong } from './identifiers.js';

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
