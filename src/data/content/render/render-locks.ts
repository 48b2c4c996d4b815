import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { RowLocks } from '../plan/plan-locks.js';
import { renderJoin } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Has the writes of a relation wait for each other. */
export function renderTurn(relation: string): SqlStatement {
  const sql = new SqlWriter();
  return sql.statement(
    `SELECT pg_advisory_xact_lock(hashtextextended('link:' || ${sql.parameter(relation, 'text')}, 0))`,
  );
}

/** Locks rows. A statement finds linked rows as they are when it begins, so each group has a statement. */
export function renderLock(group: RowLocks): SqlStatement {
  const sql = new SqlWriter();
  return sql.statement(lockOf(group, sql));
}

/**
 * Renders an expression that is always true and locks rows. It does not depend on a row, so that a statement evaluates it before it
 * reads its own table; `CASE` keeps the order of the groups (PostgreSQL §4.2.14).
 */
export function lockedFirst(groups: readonly RowLocks[], sql: SqlWriter): string {
  return groups
    .map((group) => `(SELECT count(*) FROM (${lockOf(group, sql)}) ${sql.alias()}) >= 0`)
    .reduceRight((rest, lock) => (rest === '' ? lock : `CASE WHEN ${lock} THEN ${rest} END`), '');
}

function lockOf({ table, key, strength, ids, linked }: RowLocks, sql: SqlWriter): string {
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
