import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { PlannedLock, RowLocks, WriteTurn } from '../plan/plan-locks.js';
import { renderJoin } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/**
 * Returns a statement that takes locks in their order. A statement finds linked rows as they are when it begins, so locks of rows have a
 * statement each.
 */
export function renderLocks(locks: readonly WriteTurn[] | readonly [RowLocks]): SqlStatement {
  const sql = new SqlWriter();
  const [first] = locks;
  return sql.statement(locks.length === 1 && first ? lockOf(first, sql) : `SELECT ${lockedFirst(locks, sql)}`);
}

/**
 * Renders an expression that is always true and takes locks. It does not depend on a row, so that a statement evaluates it before it
 * reads its own table; `CASE` keeps the order of the locks (PostgreSQL §4.2.14).
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
  const take = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return `SELECT ${take}(hashtextextended('link:' || ${sql.parameter(turn, 'text')}, 0))`;
}

function rowsOf({ table, key, strength, ids, linked }: RowLocks, sql: SqlWriter): string {
  const row = sql.alias();
  const column = columnOf(row, key.column);
  const named = sql.parameter(ids, `${key.sqlType}[]`);
  const found = linked.map(({ from, key: own, ids: of, join }) => {
    const [start, end] = [sql.alias(), sql.alias()];
    const among = `${columnOf(start, own.column)} = ANY(${sql.parameter(of, `${own.sqlType}[]`)})`;
    const ends = `SELECT ${columnOf(end, key.column)} ${renderJoin(join, start, end, sql)}`;
    return `SELECT l.id FROM ${q(from.table.name)} ${start} CROSS JOIN LATERAL (${ends}) l(id) WHERE ${among}`;
  });
  const all = found.length === 0 ? named : `ARRAY(${[`SELECT unnest(${named})`, ...found].join(' UNION ')})`;
  return `SELECT 1 FROM ${q(table)} ${row} WHERE ${column} = ANY(${all}) ORDER BY ${column} FOR ${strength} OF ${row}`;
}
