import type { EntityManager } from 'typeorm';

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly string[];
}

/** A foreign key that is dropped while rows are written, and created again. */
export interface StoredForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export interface StoredSequence {
  readonly table: string;
  readonly column: string;
  readonly sequence: string;
  readonly step: string;
}

const OURS = `c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relpersistence = 'p'
  AND NOT EXISTS (SELECT 1 FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')`;

const TABLES = `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
    array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS types
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE ${OURS} GROUP BY c.relname ORDER BY c.relname`;

const FOREIGN_KEYS = `SELECT c.relname::text AS table, k.conname::text AS name, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE k.contype = 'f' AND k.conparentid = 0 AND ${OURS} ORDER BY 1, 2`;

const SEQUENCES = `SELECT c.relname::text AS table, a.attname::text AS column, s.relname::text AS sequence, q.seqincrement::text AS step
  FROM pg_depend d
  JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
  JOIN pg_sequence q ON q.seqrelid = s.oid
  JOIN pg_class c ON c.oid = d.refobjid
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND ${OURS} ORDER BY 1, 2`;

/** Reads the tables of the database, without those of extensions and without unlogged ones. */
export function readTables(manager: EntityManager): Promise<StoredTable[]> {
  return manager.query<StoredTable[]>(TABLES);
}

export function readForeignKeys(manager: EntityManager): Promise<StoredForeignKey[]> {
  return manager.query<StoredForeignKey[]>(FOREIGN_KEYS);
}

export function readSequences(manager: EntityManager): Promise<StoredSequence[]> {
  return manager.query<StoredSequence[]>(SEQUENCES);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
