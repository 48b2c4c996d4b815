import type { JunctionJoin, RelationJoin } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Condition } from '../resolve/conditions.js';
import type { KeyColumn, WrittenValue } from '../resolve/sql-values.js';
import { renderCondition } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

export interface LinkSearch {
  readonly join: RelationJoin;
  readonly key: KeyColumn;
  readonly own: WrittenValue;
  readonly named: readonly unknown[];
  readonly all: boolean;
  /** `free` skips rows that another transaction has locked. */
  readonly locks?: 'all' | 'free' | 'none';
  /** Conditions: the record exists, it is visible, and its links may be changed. */
  readonly live: Condition;
  readonly seen: Condition;
  readonly touch: Condition;
}

export interface LinkedRow {
  readonly id: string;
  readonly linked: boolean;
  readonly seen: boolean;
  readonly may: boolean;
  /** Value of its foreign key; null for a junction. */
  readonly currentLink: string | null;
}

/** Selects the link state of records, and locks them until the end of the transaction in key order. */
export function renderLinked(search: LinkSearch): SqlStatement {
  const { join, key, own, named, all, locks = 'all', live, seen, touch } = search;
  const sql = new SqlWriter();
  const row = sql.alias();
  const id = columnOf(row, key.column);
  const ownValue = sql.parameter(own.value, own.sqlType);
  const linked = sql.alias();
  const pairs =
    join.kind === 'junction'
      ? `SELECT ${columnOf(linked, join.junctionTargetColumn)} FROM ${q(join.junctionTable)} ${linked} WHERE ${columnOf(linked, join.junctionOwnColumn)} = ${ownValue}`
      : `SELECT ${columnOf(linked, key.column)} FROM ${q(join.targetTable)} ${linked} WHERE ${columnOf(linked, join.targetColumn)} = ${ownValue}`;
  const list = sql.parameter(named, `${key.sqlType}[]`);
  // An array is computed once. With a subquery in `IN`, PostgreSQL can lose rows for whose lock it waited.
  const among = all ? `ARRAY(SELECT unnest(${list}) UNION ALL ${pairs})` : list;
  const isLinked =
    join.kind === 'junction'
      ? `${id} IN (${pairs})`
      : `${columnOf(row, join.targetColumn)} IS NOT DISTINCT FROM ${ownValue}`;
  const currentLink = join.kind === 'junction' ? 'NULL::text' : `${columnOf(row, join.targetColumn)}::text`;
  const matches = (condition: Condition): string => `(${renderCondition(condition, row, sql)}) IS TRUE`;
  // A record with the foreign key will be updated. Other records only must not be deleted before the link exists.
  const strength = join.kind === 'junction' ? 'KEY SHARE' : 'NO KEY UPDATE';
  const lock = locks === 'none' ? '' : ` FOR ${strength} OF ${row}${locks === 'free' ? ' SKIP LOCKED' : ''}`;
  return sql.statement(
    `SELECT ${id}::text AS id, ${isLinked} AS linked, ${matches(seen)} AS seen, ${matches(touch)} AS may, ${currentLink} AS "currentLink" ` +
      `FROM ${q(join.targetTable)} ${row} WHERE ${id} = ANY(${among}) AND ${matches(live)} ORDER BY ${id}${lock}`,
  );
}

export interface InsertedPairs {
  readonly own: string;
  /** Relation that contains the record. */
  readonly from: string;
  /** Keys of the linked records, as an array. The first of duplicates counts. */
  readonly list: string;
  readonly replaces: boolean;
  /** True if the record is new and the list has no duplicates. Then no conflict is possible. */
  readonly isNew?: boolean;
}

/** Renders the insert of the junction rows of one record. The order column is assigned row by row, in the order of the list. */
export function insertPairs(join: JunctionJoin, { own, from, list, replaces, isNew = false }: InsertedPairs): string {
  const [ownValue, other] = [q(join.junctionOwnColumn), q(join.junctionTargetColumn)];
  const insertPrefix = `INSERT INTO ${q(join.junctionTable)} (${ownValue}, ${other}) SELECT ${own}, `;
  if (join.junctionOrderColumn === undefined)
    return `${insertPrefix}unnest(${list}) FROM ${from}${isNew ? '' : ' ON CONFLICT DO NOTHING'}`;
  const once = `SELECT i.id, min(i.n) AS n FROM unnest(${list}) WITH ORDINALITY i(id, n) GROUP BY i.id`;
  const rows = `FROM ${from}, (${once}) o ORDER BY o.n`;
  return `${insertPrefix}o.id ${rows}${isNew ? '' : ` ${onConflict(join, join.junctionOrderColumn, replaces)}`}`;
}

/**
 * Adds pairs to a junction, one for each index of both lists, after the existing ones.
 *
 * @param replaces true if the lists are complete: existing rows then get the position from the lists.
 */
export function renderPairs(
  join: JunctionJoin,
  own: WrittenValue,
  otherKeys: WrittenValue,
  replaces: boolean,
): SqlStatement {
  const sql = new SqlWriter();
  const [ownValue, other] = [q(join.junctionOwnColumn), q(join.junctionTargetColumn)];
  const insertPrefix = `INSERT INTO ${q(join.junctionTable)} (${ownValue}, ${other}) `;
  const lists = [own, otherKeys].map(({ value, sqlType }) => sql.list(value as unknown[], sqlType)).join(', ');
  if (join.junctionOrderColumn === undefined)
    return sql.statement(`${insertPrefix}SELECT * FROM unnest(${lists}) ON CONFLICT DO NOTHING`);
  return sql.statement(
    `${insertPrefix}SELECT p.own, p.other FROM (SELECT own, other, min(n) AS n FROM unnest(${lists}) WITH ORDINALITY i(own, other, n) GROUP BY own, other) p ` +
      `ORDER BY p.n ${onConflict(join, join.junctionOrderColumn, replaces)}`,
  );
}

function onConflict(join: JunctionJoin, orderColumn: string, replaces: boolean): string {
  const [ownValue, other, order] = [join.junctionOwnColumn, join.junctionTargetColumn, orderColumn].map(q);
  return `ON CONFLICT ${replaces ? `(${ownValue}, ${other}) DO UPDATE SET ${order} = EXCLUDED.${order}` : 'DO NOTHING'}`;
}

export function renderUnlink(join: JunctionJoin, own: WrittenValue, otherKeys: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const ownValue = `${q(join.junctionOwnColumn)} = ${sql.parameter(own.value, own.sqlType)}`;
  const which = `${q(join.junctionTargetColumn)} = ANY(${sql.parameter(otherKeys.value, `${otherKeys.sqlType}[]`)})`;
  return sql.statement(`DELETE FROM ${q(join.junctionTable)} WHERE ${ownValue} AND ${which}`);
}
