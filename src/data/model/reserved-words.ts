import { isServiceTable } from '../../kernel/system-schema.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from './schema-model.types.js';
import { fieldType } from './field-types.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Columns that every PostgreSQL table has already. */
const SYSTEM_COLUMNS = words('oid tableoid xmin cmin xmax cmax ctid');

/** Names with a meaning of their own in JavaScript objects; compared without regard to case. */
const OBJECT_WORDS = words(`
  constructor prototype hasownproperty isprototypeof propertyisenumerable tolocalestring tostring valueof`);

/** Segments of the schema routes that stand where a schema name could (`GET /api/schema/export`). */
const ROUTE_WORDS = words('export history');

/** Returns why a schema name is reserved, or `undefined` where it is free. */
export function reservedSchemaName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (ROUTE_WORDS.has(lower)) return 'it is a part of a route';
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
  return OBJECT_WORDS.has(name.toLowerCase()) ? 'it has a meaning of its own' : undefined;
}

/** Segments of the content routes at the place of a key (`GET /api/content/{schema}/export`); a test compares them with the routes. */
export const CONTENT_SEGMENTS: readonly string[] = ['aggregate', 'export', 'import'];

/** Keys for which no address can be written: clients resolve `.` and `..` before they send a request. */
export const RESERVED_KEYS: readonly string[] = ['', '.', '..', ...CONTENT_SEGMENTS];

const RESERVED = new Set(RESERVED_KEYS);

/** Returns whether a value would be a text key that no address leads to. */
export function isReservedKey(value: unknown, field: LinkedValueField, schema: LinkedSchema): boolean {
  return typeof value === 'string' && field.name === schema.primaryField && isTextKey(field) && isUnreachable(value);
}

export function isTextKey(field: LinkedField | undefined): field is LinkedValueField {
  return field?.kind === 'value' && fieldType(field.type).family === 'string';
}

function isUnreachable(key: string): boolean {
  return RESERVED.has(key) || /\p{Cc}/u.test(key);
}
