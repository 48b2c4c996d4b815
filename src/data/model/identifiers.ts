import { hash } from 'node:crypto';

import { SCHEMA_LIMITS } from './schema-limits.js';

const PLAIN = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Returns whether a name is an ASCII identifier that begins with a letter; its length is not checked. */
export function isPlainIdentifier(name: string): boolean {
  return PLAIN.test(name);
}

/** Returns whether a name is too long to be an identifier of the database (63 bytes of UTF-8). */
export function isTooLong(name: string): boolean {
  return Buffer.byteLength(name, 'utf8') > SCHEMA_LIMITS.identifierBytes;
}

/** Returns the first `length` hexadecimal digits of a SHA-256, for names that must be unique and stable. */
export function shortHash(text: string, length: number): string {
  return hash('sha256', text).slice(0, length);
}

/** Joins `head` and `tail` to an identifier of at most 63 bytes: the head gives way, the tail stays whole. */
export function fittedIdentifier(head: string, tail: string): string {
  const room = SCHEMA_LIMITS.identifierBytes - Buffer.byteLength(tail, 'utf8') - 1;
  return `${head.slice(0, room)}_${tail}`;
}

/** Throws for a name that is empty, over 63 bytes or has a NUL: PostgreSQL would cut it off and find something else. */
export function quoteIdentifier(name: string): string {
  if (name === '' || isTooLong(name) || name.includes('\0')) throw new RangeError('This is not an SQL identifier.');
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteIdentifiers(names: readonly string[]): string {
  return names.map(quoteIdentifier).join(', ');
}
