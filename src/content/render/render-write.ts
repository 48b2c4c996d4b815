import type { JunctionJoin, LinkedSchema } from '../../schema/model/schema-model.types.js';
import { quoteIdentifier as q } from '../../schema/model/sql-identifier.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { KeyColumn, WrittenValue } from '../resolve/write.types.js';
import { bracketed, renderCondition } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Writes a new record and answers its key as text. */
export function renderInsert(
  schema: LinkedSchema,
  values: ReadonlyMap<string, WrittenValue>,
  key: KeyColumn,
): SqlStatement {
  const sql = new SqlWriter();
  const columns = [...values.keys()].map(q);
  const list = [...values.values()].map(({ value, sqlType }) => sql.parameter(value, sqlType));
  const what = columns.length === 0 ? 'DEFAULT VALUES' : `(${columns.join(', ')}) VALUES (${list.join(', ')})`;
  return sql.statement(`INSERT INTO ${q(schema.table.name)} ${what} RETURNING ${q(key.column)}::text AS id`);
}

/** Changes the record of a key. */
export function renderUpdate(
  table: string,
  values: ReadonlyMap<string, WrittenValue>,
  key: KeyColumn,
  id: unknown,
): SqlStatement {
  const sql = new SqlWriter();
  const sets = [...values].map(([column, { value, sqlType }]) => `${q(column)} = ${sql.parameter(value, sqlType)}`);
  const where = `${q(key.column)} = ${sql.parameter(id, key.sqlType)}`;
  return sql.statement(`UPDATE ${q(table)} SET ${sets.join(', ')} WHERE ${where}`);
}

/** Removes the record of a key for good. */
export function renderDelete(table: string, key: KeyColumn, id: unknown): SqlStatement {
  const sql = new SqlWriter();
  return sql.statement(`DELETE FROM ${q(table)} WHERE ${q(key.column)} = ${sql.parameter(id, key.sqlType)}`);
}

/** The keys, as text, of those records among some of which a condition holds; locked until the end of the transaction. */
export function renderAmong(table: string, key: KeyColumn, ids: readonly unknown[], where: Condition): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const column = columnOf(row, key.column);
  const among = `${column} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`;
  const holds = bracketed(where, row, sql);
  return sql.statement(
    `SELECT ${column}::text AS id FROM ${q(table)} ${row} WHERE ${among} AND ${holds} FOR SHARE OF ${row}`,
  );
}

/** The keys, as text, of the records of which a condition holds. */
export function renderMatching(table: string, key: KeyColumn, where: Condition, limit: number): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const holds = renderCondition(where, row, sql);
  const column = columnOf(row, key.column);
  const most = sql.parameter(limit, 'bigint');
  return sql.statement(
    `SELECT ${column}::text AS id FROM ${q(table)} ${row} WHERE ${holds} ORDER BY ${column} LIMIT ${most}`,
  );
}

/** Adds pairs to a junction; those that are there stay. */
export function renderLink(join: JunctionJoin, own: WrittenValue, others: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const columns = `${q(join.junctionOwnColumn)}, ${q(join.junctionTargetColumn)}`;
  const values = `SELECT ${sql.parameter(own.value, own.sqlType)}, unnest(${sql.parameter(others.value, `${others.sqlType}[]`)})`;
  return sql.statement(`INSERT INTO ${q(join.junctionTable)} (${columns}) ${values} ON CONFLICT DO NOTHING`);
}

/**
 * Takes pairs out of a junction, or empties references that other records hold.
 *
 * @param others which of the others; `except` means all but these.
 */
export function renderUnlink(
  place: { readonly table: string; readonly own: string; readonly other: string; readonly empties: boolean },
  own: WrittenValue,
  others: WrittenValue & { readonly except: boolean },
): SqlStatement {
  const sql = new SqlWriter();
  const begin = place.empties ? `UPDATE ${q(place.table)} SET ${q(place.own)} = NULL` : `DELETE FROM ${q(place.table)}`;
  const mine = `${q(place.own)} = ${sql.parameter(own.value, own.sqlType)}`;
  const list = sql.parameter(others.value, `${others.sqlType}[]`);
  const which = others.except ? `${q(place.other)} <> ALL(${list})` : `${q(place.other)} = ANY(${list})`;
  return sql.statement(`${begin} WHERE ${mine} AND ${which}`);
}

/** One value, as text, of the record of a key. */
export function renderValue(table: string, key: KeyColumn, id: unknown, column: string): SqlStatement {
  const sql = new SqlWriter();
  const where = `${q(key.column)} = ${sql.parameter(id, key.sqlType)}`;
  return sql.statement(`SELECT ${q(column)}::text AS value FROM ${q(table)} WHERE ${where}`);
}
