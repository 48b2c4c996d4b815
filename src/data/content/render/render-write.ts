import type { LinkedSchema } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LockStrength, PlannedLock } from '../plan/plan-locks.js';
import type { RecordPlan } from '../plan/query-plan.types.js';
import type { RowGuard } from '../plan/write-plan.types.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { KeyColumn, WrittenValue } from '../resolve/writes/write.types.js';
import { bracketed } from './render-condition.js';
import { renderRecord } from './render-record.js';
import { lockedFirst } from './render-locks.js';
import { holdsOf, parameters } from './render-row.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Name of the position column. No column has this name. */
const PLACE = q('#');

export interface RecordLocks {
  /** `UPDATE` for a deletion, which excludes references to the record. Null to read without a lock. */
  readonly strength: Extract<LockStrength, 'NO KEY UPDATE' | 'UPDATE'> | null;
  readonly first: readonly PlannedLock[];
}

/** Inserts a record and returns its key as text. Returns no row if the guard fails. */
export function renderInsert(
  schema: LinkedSchema,
  values: ReadonlyMap<string, WrittenValue>,
  key: KeyColumn,
  guard: RowGuard | null,
): SqlStatement {
  const sql = new SqlWriter();
  const given = parameters(values, sql);
  const columns = [...given.keys()].map(q).join(', ');
  const list = [...given.values()].join(', ');
  const holds = guard && holdsOf(guard.rule, new Map([...given, ...parameters(guard.rest, sql)]), sql);
  const what =
    given.size === 0 ? 'DEFAULT VALUES' : `(${columns}) SELECT ${list}${holds === null ? '' : ` WHERE ${holds}`}`;
  return sql.statement(`INSERT INTO ${q(schema.table.name)} ${what} RETURNING ${q(key.column)}::text AS id`);
}

/**
 * Inserts records with the same columns and returns their keys as text, in order. Rows for which the guard fails are skipped.
 *
 * @param rows at least one.
 */
export function renderInsertAll(
  schema: LinkedSchema,
  rows: readonly ReadonlyMap<string, WrittenValue>[],
  key: KeyColumn,
  guard: RowGuard | null,
): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const types = [...(rows[0] ?? new Map<string, WrittenValue>())].map(
    ([name, { sqlType }]) => [name, sqlType] as const,
  );
  const list = (name: string): unknown[] => rows.map((values) => values.get(name)?.value ?? null);
  const lists = types.map(([name, sqlType]) => sql.list(list(name), sqlType));
  const columns = types.map(([name]) => q(name));
  const given = new Map(types.map(([name]) => [name, columnOf(row, name)]));
  const holds = guard && holdsOf(guard.rule, new Map([...given, ...parameters(guard.rest, sql)]), sql);
  const from = `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${row}(${[...columns, PLACE].join(', ')})`;
  const where = holds === null ? '' : ` WHERE ${holds}`;
  return sql.statement(
    `INSERT INTO ${q(schema.table.name)} (${columns.join(', ')}) SELECT ${[...given.values()].join(', ')} FROM ${from}${where} ORDER BY ${row}.${PLACE} RETURNING ${q(key.column)}::text AS id`,
  );
}

/** Updates records by key and returns their keys as text. Records for which the guard fails are skipped. */
export function renderUpdate(
  table: string,
  values: ReadonlyMap<string, WrittenValue>,
  key: KeyColumn,
  ids: readonly unknown[],
  guard: RowGuard | null = null,
): SqlStatement {
  const sql = new SqlWriter();
  const [row, changed] = [sql.alias(), sql.alias()];
  const given = parameters(values, sql);
  const sets = [...given].map(([column, value]) => `${q(column)} = ${value}`).join(', ');
  const checks = [`${columnOf(row, key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`];
  const kept = guard?.kept.map((column) => [column, columnOf(row, column)] as const) ?? [];
  if (guard !== null) checks.push(holdsOf(guard.rule, new Map([...kept, ...given]), sql));
  const update = `UPDATE ${q(table)} ${row} SET ${sets} WHERE ${checks.join(' AND ')} RETURNING ${columnOf(row, key.column)}::text AS id`;
  return sql.statement(`WITH ${changed} AS (${update}) SELECT id FROM ${changed}`);
}

/**
 * Updates the same columns of records, each with its own values, and returns their keys as text. Records for which the guard fails are
 * skipped.
 *
 * @param rows at least one.
 */
export function renderUpdateAll(
  table: string,
  rows: readonly { readonly id: unknown; readonly values: ReadonlyMap<string, WrittenValue> }[],
  key: KeyColumn,
  guard: RowGuard | null,
): SqlStatement {
  const sql = new SqlWriter();
  const [row, given, changed] = [sql.alias(), sql.alias(), sql.alias()];
  const types = [...(rows[0]?.values ?? [])].map(([name, { sqlType }]) => [name, sqlType] as const);
  const ids = sql.parameter(
    rows.map(({ id }) => id),
    `${key.sqlType}[]`,
  );
  const lists = types.map(([name, sqlType]) =>
    sql.list(
      rows.map(({ values }) => values.get(name)?.value ?? null),
      sqlType,
    ),
  );
  const columns = types.map(([name]) => [name, columnOf(given, name)] as const);
  const checks = [`${columnOf(row, key.column)} = ${given}.${PLACE}`];
  const kept = guard?.kept.map((column) => [column, columnOf(row, column)] as const) ?? [];
  if (guard !== null) checks.push(holdsOf(guard.rule, new Map([...kept, ...columns]), sql));
  const sets = columns.map(([name, value]) => `${q(name)} = ${value}`).join(', ');
  const from = `unnest(${[ids, ...lists].join(', ')}) AS ${given}(${[PLACE, ...types.map(([name]) => q(name))].join(', ')})`;
  const update = `UPDATE ${q(table)} ${row} SET ${sets} FROM ${from} WHERE ${checks.join(' AND ')} RETURNING ${columnOf(row, key.column)}::text AS id`;
  return sql.statement(`WITH ${changed} AS (${update}) SELECT id FROM ${changed}`);
}

export function renderDelete(table: string, key: KeyColumn, ids: readonly unknown[]): SqlStatement {
  const sql = new SqlWriter();
  return sql.statement(
    `DELETE FROM ${q(table)} WHERE ${q(key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`,
  );
}

/**
 * Returns the keys of the given records that match a condition, and locks them until the end of the transaction.
 *
 * @param strength `KEY SHARE` prevents deletion, `SHARE` also prevents updates.
 */
export function renderAmong(
  table: string,
  key: KeyColumn,
  ids: readonly unknown[],
  where: Condition,
  strength: 'KEY SHARE' | 'SHARE' = 'KEY SHARE',
): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const column = columnOf(row, key.column);
  const among = `${column} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`;
  const holds = bracketed(where, row, sql);
  return sql.statement(
    `SELECT ${column}::text AS id FROM ${q(table)} ${row} WHERE ${among} AND ${holds} ORDER BY ${column} FOR ${strength} OF ${row}`,
  );
}

/**
 * Selects and locks the records that match a condition, in key order, as JSON with their versions. It waits for records that another
 * transaction changes, and omits them if they no longer match.
 *
 * @param locks `first` are locked before the records.
 */
export function renderLocked(
  { table, where, record }: RecordPlan,
  key: KeyColumn,
  limit: number,
  { strength, first }: RecordLocks,
): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const holds = bracketed(where, row, sql);
  const before = first.length === 0 ? '' : `${lockedFirst(first, sql)} AND `;
  const columns = `${renderRecord(record, row, sql)}::text AS item, ${row}.xmin::text AS version`;
  const order = `ORDER BY ${columnOf(row, key.column)} LIMIT ${sql.parameter(limit, 'bigint')}`;
  const lock = strength === null ? '' : ` FOR ${strength} OF ${row}`;
  return sql.statement(`SELECT ${columns} FROM ${q(table)} ${row} WHERE ${before}${holds} ${order}${lock}`);
}

export function renderValue(table: string, key: KeyColumn, id: unknown, column: string): SqlStatement {
  const sql = new SqlWriter();
  const where = `${q(key.column)} = ${sql.parameter(id, key.sqlType)}`;
  return sql.statement(`SELECT ${q(column)}::text AS value FROM ${q(table)} WHERE ${where}`);
}

/** The version changes with every update of a row. */
export function renderVersions(table: string, { column, sqlType }: KeyColumn, ids: readonly unknown[]): SqlStatement {
  const sql = new SqlWriter();
  const among = `${q(column)} = ANY(${sql.parameter(ids, `${sqlType}[]`)})`;
  return sql.statement(`SELECT ${q(column)}::text AS id, xmin::text AS version FROM ${q(table)} WHERE ${among}`);
}
