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

/** The place of a record in a list; no column has such a name. */
const PLACE = q('#');

/** Lock of records, and of other rows that are locked before them. */
export interface RecordLocks {
  /** `UPDATE` for a deletion, which excludes references to the record. Null to read the records without a lock. */
  readonly strength: Extract<LockStrength, 'NO KEY UPDATE' | 'UPDATE'> | null;
  readonly first: readonly PlannedLock[];
}

/** Writes a new record and answers its key as text; nothing if the guard does not hold of it. */
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
 * Writes new records of the same columns and answers their keys as text, in order; none of those of which the guard does not hold.
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

/** Changes records by their keys, and answers the keys as text; those of which the guard does not hold stay as they are. */
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
 * Changes the same columns of records, each by its key, and answers the keys as text; those of which the guard does not hold
 * stay as they are.
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

/** Removes records for good. */
export function renderDelete(table: string, key: KeyColumn, ids: readonly unknown[]): SqlStatement {
  const sql = new SqlWriter();
  return sql.statement(
    `DELETE FROM ${q(table)} WHERE ${q(key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`,
  );
}

/**
 * Returns the keys, as text, of those records among some of which a condition holds; locked until the end of the transaction.
 *
 * @param strength `KEY SHARE` keeps them from being deleted, `SHARE` from being changed as well.
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
 * Returns the records of which a condition holds, locked, in the order of their keys: each as JSON and with its version. One that
 * another transaction changes is waited for, and left out where the condition does not hold any more.
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

/** Returns one value, as text, of the record of a key. */
export function renderValue(table: string, key: KeyColumn, id: unknown, column: string): SqlStatement {
  const sql = new SqlWriter();
  const where = `${q(key.column)} = ${sql.parameter(id, key.sqlType)}`;
  return sql.statement(`SELECT ${q(column)}::text AS value FROM ${q(table)} WHERE ${where}`);
}

/** Returns the records of these keys, each with its version: another one after every change. */
export function renderVersions(table: string, { column, sqlType }: KeyColumn, ids: readonly unknown[]): SqlStatement {
  const sql = new SqlWriter();
  const among = `${q(column)} = ANY(${sql.parameter(ids, `${sqlType}[]`)})`;
  return sql.statement(`SELECT ${q(column)}::text AS id, xmin::text AS version FROM ${q(table)} WHERE ${among}`);
}
