import { hash } from 'node:crypto';

import { SCHEMA_LIMITS } from './schema-limits.js';

const PLAIN = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Returns true for an ASCII identifier that begins with a letter. The length is not checked. */
export function isPlainIdentifier(name: string): boolean {
  return PLAIN.test(name);
}

/** Returns true for names over the identifier limit of PostgreSQL (63 bytes of UTF-8). */
export function isTooLong(name: string): boolean {
  return Buffer.byteLength(name, 'utf8') > SCHEMA_LIMITS.identifierBytes;
}

/** Returns the first `length` hexadecimal digits of a SHA-256, for names that must be unique and stable. */
export function shortHash(text: string, length: number): string {
  return hash('sha256', text).slice(0, length);
}

/** Joins `head` and `tail` to an identifier of at most 63 bytes. Only the head is truncated. */
export function fittedIdentifier(head: string, tail: string): string {
  const available = SCHEMA_LIMITS.identifierBytes - Buffer.byteLength(tail, 'utf8') - 1;
  return `${head.slice(0, available)}_${tail}`;
}

/** @throws RangeError for a name that is empty, over 63 bytes or contains NUL. PostgreSQL would truncate it and find another object. */
export function quoteIdentifier(name: string): string {
  if (name === '' || isTooLong(name) || name.includes('\0')) throw new RangeError('This is not an SQL identifier.');
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteIdentifiers(names: readonly string[]): string {
  return names.map(quoteIdentifier).join(', ');
}

/** Expression of the search index over quoted columns. A search must use exactly this expression to be served by the index. */
export function searchVector(columns: readonly string[]): string {
  return `to_tsvector('simple', ${columns.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `)})`;
}
