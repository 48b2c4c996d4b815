import type { JunctionJoin, RelationJoin } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { KeyColumn, WrittenValue } from '../resolve/writes/write.types.js';
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
  readonly held: string | null;
}

/** Selects the link state of records, and locks them until the end of the transaction in key order. */
export function renderLinked(search: LinkSearch): SqlStatement {
  const { join, key, own, named, all, locks = 'all', live, seen, touch } = search;
  const sql = new SqlWriter();
  const row = sql.alias();
  const id = columnOf(row, key.column);
  const mine = sql.parameter(own.value, own.sqlType);
  const linked = sql.alias();
  const pairs =
    join.kind === 'junction'
      ? `SELECT ${columnOf(linked, join.junctionTargetColumn)} FROM ${q(join.junctionTable)} ${linked} WHERE ${columnOf(linked, join.junctionOwnColumn)} = ${mine}`
      : `SELECT ${columnOf(linked, key.column)} FROM ${q(join.targetTable)} ${linked} WHERE ${columnOf(linked, join.targetColumn)} = ${mine}`;
  const list = sql.parameter(named, `${key.sqlType}[]`);
  // An array is computed once. With a subquery in `IN`, PostgreSQL can lose rows for whose lock it waited.
  const among = all ? `ARRAY(SELECT unnest(${list}) UNION ALL ${pairs})` : list;
  const isLinked =
    join.kind === 'junction'
      ? `${id} IN (${pairs})`
      : `${columnOf(row, join.targetColumn)} IS NOT DISTINCT FROM ${mine}`;
  const held = join.kind === 'junction' ? 'NULL::text' : `${columnOf(row, join.targetColumn)}::text`;
  const holds = (condition: Condition): string => `(${renderCondition(condition, row, sql)}) IS TRUE`;
  // A record with the foreign key will be updated. Other records only must not be deleted before the link exists.
  const strength = join.kind === 'junction' ? 'KEY SHARE' : 'NO KEY UPDATE';
  const lock = locks === 'none' ? '' : ` FOR ${strength} OF ${row}${locks === 'free' ? ' SKIP LOCKED' : ''}`;
  return sql.statement(
    `SELECT ${id}::text AS id, ${isLinked} AS linked, ${holds(seen)} AS seen, ${holds(touch)} AS may, ${held} AS held ` +
      `FROM ${q(join.targetTable)} ${row} WHERE ${id} = ANY(${among}) AND ${holds(live)} ORDER BY ${id}${lock}`,
  );
}

/**
 * Adds rows to a junction, after the existing ones.
 *
 * @param replaces true if the list is complete: existing rows then get the position from the list.
 */
export function renderLink(
  join: JunctionJoin,
  own: WrittenValue,
  others: WrittenValue,
  replaces: boolean,
): SqlStatement {
  const sql = new SqlWriter();
  const list = sql.parameter(others.value, `${others.sqlType}[]`);
  return sql.statement(insertPairs(join, { own: sql.parameter(own.value, own.sqlType), list, replaces }));
}

export interface InsertedPairs {
  readonly own: string;
  readonly from?: string;
  /** Keys of the linked records, as an array. The first of duplicates counts. */
  readonly list: string;
  readonly replaces: boolean;
  /** True if the record is new and the list has no duplicates. Then no conflict is possible. */
  readonly isNew?: boolean;
}

/** Renders the insert of junction rows. The order column is assigned row by row, in the order of the list. */
export function insertPairs(join: JunctionJoin, { own, from, list, replaces, isNew = false }: InsertedPairs): string {
  const [mine, other] = [q(join.junctionOwnColumn), q(join.junctionTargetColumn)];
  const begin = `INSERT INTO ${q(join.junctionTable)} (${mine}, ${other}) SELECT ${own}, `;
  if (join.junctionOrderColumn === undefined)
    return `${begin}unnest(${list})${from === undefined ? '' : ` FROM ${from}`}${isNew ? '' : ' ON CONFLICT DO NOTHING'}`;
  const once = `SELECT i.id, min(i.n) AS n FROM unnest(${list}) WITH ORDINALITY i(id, n) GROUP BY i.id`;
  const rows = `FROM ${from === undefined ? '' : `${from}, `}(${once}) o ORDER BY o.n`;
  const order = q(join.junctionOrderColumn);
  const moved = replaces ? `(${mine}, ${other}) DO UPDATE SET ${order} = EXCLUDED.${order}` : 'DO NOTHING';
  return `${begin}o.id ${rows}${isNew ? '' : ` ON CONFLICT ${moved}`}`;
}

/** Inserts pairs into a junction, one for each index of both lists. Existing pairs stay. */
export function renderLinkPairs(join: JunctionJoin, own: WrittenValue, others: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const columns = `${q(join.junctionOwnColumn)}, ${q(join.junctionTargetColumn)}`;
  const lists = [own, others].map(({ value, sqlType }) => sql.parameter(value, `${sqlType}[]`)).join(', ');
  return sql.statement(
    `INSERT INTO ${q(join.junctionTable)} (${columns}) SELECT * FROM unnest(${lists}) ON CONFLICT DO NOTHING`,
  );
}

export function renderUnlink(join: JunctionJoin, own: WrittenValue, others: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const mine = `${q(join.junctionOwnColumn)} = ${sql.parameter(own.value, own.sqlType)}`;
  const which = `${q(join.junctionTargetColumn)} = ANY(${sql.parameter(others.value, `${others.sqlType}[]`)})`;
  return sql.statement(`DELETE FROM ${q(join.junctionTable)} WHERE ${mine} AND ${which}`);
}
