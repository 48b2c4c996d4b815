import { hash } from 'node:crypto';
import { SCHEMA_LIMITS } from './schema-limits.js';
import { isServiceTable } from '../../kernel/system-schema.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from './schema-model.types.js';
import { fieldType } from './field-types.js';

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

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** System columns of every PostgreSQL table. */
const SYSTEM_COLUMNS = wordSet('oid tableoid xmin cmin xmax cmax ctid');

/** Property names of JavaScript objects, compared case-insensitively. */
const OBJECT_NAMES = wordSet(`
  constructor prototype hasownproperty isprototypeof propertyisenumerable tolocalestring tostring valueof`);

/** Route segments in the position of a schema name (`GET /api/schema/export`). */
const ROUTE_NAMES = wordSet('export history');

export function reservedSchemaName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (ROUTE_NAMES.has(lower)) return 'it is part of a route';
  return reservedMember(lower);
}

export function reservedTable(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower.startsWith('pg_') || lower === 'information_schema') return 'it belongs to the database';
  if (isServiceTable(lower)) return 'it is a table of the service';
  return reservedMember(lower);
}

export function reservedColumn(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (SYSTEM_COLUMNS.has(lower)) return 'every table of the database has such a column';
  return reservedMember(name);
}

export function reservedMember(name: string): string | undefined {
  return OBJECT_NAMES.has(name.toLowerCase()) ? 'it has a special meaning' : undefined;
}

/** Route segments in the position of a record key (`GET /api/content/{schema}/export`). A test compares them with the routes. */
export const CONTENT_SEGMENTS: readonly string[] = ['aggregate', 'export', 'import'];

/** Text keys that cannot be used in a URL. Clients resolve `.` and `..` before they send a request. */
export const RESERVED_KEYS: readonly string[] = ['', '.', '..', ...CONTENT_SEGMENTS];

const RESERVED = new Set(RESERVED_KEYS);

export function isReservedKey(value: unknown, field: LinkedValueField, schema: LinkedSchema): boolean {
  return typeof value === 'string' && field.name === schema.primaryField && isTextKey(field) && isUnreachable(value);
}

export function isTextKey(field: LinkedField | undefined): field is LinkedValueField {
  return field?.kind === 'value' && fieldType(field.type).family === 'string';
}

function isUnreachable(key: string): boolean {
  return RESERVED.has(key) || /\p{Cc}/u.test(key);
}
