import { isServiceTable } from '../../kernel/system-schema.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Reserved key words of PostgreSQL: refused as names of columns and tables, although every identifier is quoted. */
const SQL_WORDS = words(`
  all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
  column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
  from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
  returning right select session_user similar some symmetric system_user table tablesample then to trailing true union
  unique user using variadic verbose when where window with
  delete drop insert truncate update alter`);

/** Columns that every PostgreSQL table has already. */
const SYSTEM_COLUMNS = words('oid tableoid xmin cmin xmax cmax ctid');

/** Names with a meaning of their own in JavaScript objects; compared without regard to case. */
const OBJECT_WORDS = words(`
  constructor prototype hasownproperty isprototypeof propertyisenumerable tolocalestring tostring valueof`);

/** Segments of the schema routes that stand where a schema name could (`GET /api/schema/export`). */
const ROUTE_WORDS = words('export history definition');

/** Returns why a schema name is reserved, or `undefined` where it is free. */
export function reservedSchemaName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (ROUTE_WORDS.has(lower)) return 'it is a part of a route';
  return reservedMember(lower);
}

/** Returns why a table name is reserved, or `undefined` where it is free. */
export function reservedTable(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (SQL_WORDS.has(lower)) return 'it is a key word of SQL';
  if (lower.startsWith('pg_') || lower === 'information_schema') return 'it belongs to the database';
  if (isServiceTable(lower)) return 'it is a table of the service';
  return reservedMember(lower);
}

/** Returns why a column name is reserved, or `undefined` where it is free. */
export function reservedColumn(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (SQL_WORDS.has(lower)) return 'it is a key word of SQL';
  if (SYSTEM_COLUMNS.has(lower)) return 'every table of the database has such a column';
  return reservedMember(name);
}

/** Returns why a name cannot be a member of a record, or `undefined` where it is free. */
export function reservedMember(name: string): string | undefined {
  return OBJECT_WORDS.has(name.toLowerCase()) ? 'it has a meaning of its own' : undefined;
}
