import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { PlannedLock, RowLocks, WriteTurn } from '../plan/plan-locks.js';
import { renderJoin } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/**
 * Renders a statement that takes locks in order. A statement finds linked rows with the snapshot from its start, so each group of row locks
 * needs its own statement.
 */
export function renderLocks(locks: readonly WriteTurn[] | readonly [RowLocks]): SqlStatement {
  const sql = new SqlWriter();
  const [first] = locks;
  return sql.statement(locks.length === 1 && first ? lockOf(first, sql) : `SELECT ${lockedFirst(locks, sql)}`);
}

/**
 * Renders an expression that takes locks and is always true. It does not depend on a row, so PostgreSQL evaluates it before it reads the
 * table. `CASE` keeps the lock order (PostgreSQL §4.2.14).
 */
export function lockedFirst(locks: readonly PlannedLock[], sql: SqlWriter): string {
  return locks
    .map((lock) => `(SELECT count(*) FROM (${lockOf(lock, sql)}) ${sql.alias()}) >= 0`)
    .reduceRight((rest, lock) => (rest === '' ? lock : `CASE WHEN ${lock} THEN ${rest} END`), '');
}

function lockOf(lock: PlannedLock, sql: SqlWriter): string {
  return 'turn' in lock ? turnOf(lock, sql) : rowsOf(lock, sql);
}

function turnOf({ turn, isShared }: WriteTurn, sql: SqlWriter): string {
  const lockFunction = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return `SELECT ${lockFunction}(hashtextextended('link:' || ${sql.parameter(turn, 'text')}, 0))`;
}

function rowsOf({ table, key, strength, ids, linked }: RowLocks, sql: SqlWriter): string {
  const row = sql.alias();
  const column = columnOf(row, key.column);
  const named = sql.parameter(ids, `${key.sqlType}[]`);
  const found = linked.map(({ from, key: own, ids: of, join }) => {
    const [start, end] = [sql.alias(), sql.alias()];
    const among = `${columnOf(start, own.column)} = ANY(${sql.parameter(of, `${own.sqlType}[]`)})`;
    const targetKeys = `SELECT ${columnOf(end, key.column)} ${renderJoin(join, start, end, sql)}`;
    return `SELECT l.id FROM ${q(from.table.name)} ${start} CROSS JOIN LATERAL (${targetKeys}) l(id) WHERE ${among}`;
  });
  const all = found.length === 0 ? named : `ARRAY(${[`SELECT unnest(${named})`, ...found].join(' UNION ')})`;
  return `SELECT 1 FROM ${q(table)} ${row} WHERE ${column} = ANY(${all}) ORDER BY ${column} FOR ${strength} OF ${row}`;
}
