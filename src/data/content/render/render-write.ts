import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LockStrength, PlannedLock } from '../plan/plan-locks.js';
import type { RecordPlan } from '../plan/query-plan.types.js';
import type { RowGuard } from '../plan/write-plan.types.js';
import type { Condition } from '../resolve/conditions.js';
import type { KeyColumn } from '../resolve/keys.js';
import type { WrittenValue } from '../resolve/sql-values.js';
import { bracketed, ruleOverRow, parameters } from './render-condition.js';
import { renderRecord } from './render-record.js';
import { lockedFirst } from './render-locks.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Name of the position column. No column has this name. */
const PLACE = q('#');
/** Alias of the written values. */
const INPUT_ROWS = 'given';

export interface RecordLocks {
  /** `UPDATE` for a deletion, which excludes references to the record. Null to read without a lock. */
  readonly strength: Extract<LockStrength, 'NO KEY UPDATE' | 'UPDATE'> | null;
  readonly first: readonly PlannedLock[];
}

type Values = ReadonlyMap<string, WrittenValue>;
type Rows<Row> = readonly [Row, ...Row[]];

/** Inserts records with the same columns and returns their keys as text, in order. Rows for which the guard fails are skipped. */
export function renderInsert(
  table: string,
  rows: Rows<{ readonly values: Values }>,
  key: KeyColumn,
  guard: RowGuard | null,
): SqlStatement {
  const sql = new SqlWriter();
  const { inputs, lists } = inputColumns(rows, rows.length === 1, sql);
  const satisfies = guard && ruleOverRow(guard.rule, new Map([...inputs, ...parameters(guard.otherColumns, sql)]), sql);
  const where = satisfies === null ? '' : ` WHERE ${satisfies}`;
  const columns = [...inputs.keys()].map(q);
  const from =
    lists === null
      ? where
      : ` FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS ${INPUT_ROWS}(${[...columns, PLACE].join(', ')})${where} ORDER BY ${INPUT_ROWS}.${PLACE}`;
  const source =
    inputs.size === 0 ? 'DEFAULT VALUES' : `(${columns.join(', ')}) SELECT ${[...inputs.values()].join(', ')}${from}`;
  return sql.statement(`INSERT INTO ${q(table)} ${source} RETURNING ${q(key.column)}::text AS id`);
}

/** Updates the same columns of records and returns their keys as text. Records for which the guard fails are skipped. */
export function renderUpdate(
  table: string,
  rows: Rows<{ readonly id: unknown; readonly values: Values }>,
  key: KeyColumn,
  guard: RowGuard | null = null,
): SqlStatement {
  const sql = new SqlWriter();
  const [row, changed] = [sql.alias(), sql.alias()];
  const { inputs, lists } = inputColumns(rows, isAlike(rows), sql);
  const keys = rows.map(({ id }) => id);
  const ids = sql.parameter(keys, `${key.sqlType}[]`);
  const sets = [...inputs].map(([column, value]) => `${q(column)} = ${value}`).join(', ');
  const from =
    lists === null
      ? ''
      : ` FROM unnest(${[ids, ...lists].join(', ')}) AS ${INPUT_ROWS}(${[PLACE, ...[...inputs.keys()].map(q)].join(', ')})`;
  const named = lists === null ? `ANY(${ids})` : `${INPUT_ROWS}.${PLACE}`;
  const checks = [`${columnOf(row, key.column)} = ${named}`];
  const unchangedValues = guard?.unchangedColumns.map((column) => [column, columnOf(row, column)] as const) ?? [];
  if (guard !== null) checks.push(ruleOverRow(guard.rule, new Map([...unchangedValues, ...inputs]), sql));
  const update = `UPDATE ${q(table)} ${row} SET ${sets}${from} WHERE ${checks.join(' AND ')} RETURNING ${columnOf(row, key.column)}::text AS id`;
  return sql.statement(`WITH ${changed} AS (${update}) SELECT id FROM ${changed}`);
}

/**
 * Returns the SQL of the written columns.
 *
 * @param isSame true if all rows have the same values. Otherwise `lists` has the values of each column.
 */
function inputColumns(
  rows: Rows<{ readonly values: Values }>,
  isSame: boolean,
  sql: SqlWriter,
): { readonly inputs: ReadonlyMap<string, string>; readonly lists: readonly string[] | null } {
  const [{ values: first }] = rows;
  if (isSame) return { inputs: parameters(first, sql), lists: null };
  const list = (name: string): unknown[] => rows.map(({ values }) => values.get(name)?.value ?? null);
  return {
    inputs: new Map([...first.keys()].map((name) => [name, columnOf(INPUT_ROWS, name)])),
    lists: [...first].map(([name, { sqlType }]) => sql.list(list(name), sqlType)),
  };
}

function isAlike([{ values: first }, ...others]: Rows<{ readonly values: Values }>): boolean {
  return others.every(({ values }) => [...first].every(([name, value]) => values.get(name) === value));
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
  const satisfies = bracketed(where, row, sql);
  return sql.statement(
    `SELECT ${column}::text AS id FROM ${q(table)} ${row} WHERE ${among} AND ${satisfies} ORDER BY ${column} FOR ${strength} OF ${row}`,
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
  const satisfies = bracketed(where, row, sql);
  const before = first.length === 0 ? '' : `${lockedFirst(first, sql)} AND `;
  const columns = `${renderRecord(record, row, sql)}::text AS item, ${row}.xmin::text AS version`;
  const order = `ORDER BY ${columnOf(row, key.column)} LIMIT ${sql.parameter(limit, 'bigint')}`;
  const lock = strength === null ? '' : ` FOR ${strength} OF ${row}`;
  return sql.statement(`SELECT ${columns} FROM ${q(table)} ${row} WHERE ${before}${satisfies} ${order}${lock}`);
}

/** Selects a column of records, as text. The version of a row is its system column `xmin`. */
export function renderValues(table: string, key: KeyColumn, ids: readonly unknown[], column: string): SqlStatement {
  const sql = new SqlWriter();
  const among = `${q(key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`;
  return sql.statement(
    `SELECT ${q(key.column)}::text AS id, ${q(column)}::text AS value FROM ${q(table)} WHERE ${among}`,
  );
}
