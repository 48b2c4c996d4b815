import type { JunctionJoin, RelationJoin } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { KeyColumn, WrittenValue } from '../resolve/writes/write.types.js';
import { renderCondition } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Records that a write links or takes links from, in the place that they are asked about. */
export interface LinkSearch {
  readonly join: RelationJoin;
  readonly key: KeyColumn;
  /** Value of the record that is written in the link. */
  readonly own: WrittenValue;
  /** The records that the write names. */
  readonly named: readonly unknown[];
  /** True for all that are linked, too. */
  readonly all: boolean;
  /** Whether rows are locked; `free` leaves out rows that another transaction has locked. */
  readonly locks?: 'all' | 'free' | 'none';
  /** Conditions for them to be there at all, to be seen, and to have their links changed. */
  readonly live: Condition;
  readonly seen: Condition;
  readonly touch: Condition;
}

/** A record that a write names or that is linked. */
export interface LinkedRow {
  readonly id: string;
  readonly linked: boolean;
  readonly seen: boolean;
  readonly may: boolean;
  /** Value of its link, if it holds it itself. */
  readonly held: string | null;
}

/** Finds out how records are linked, and locks them until the end of the transaction, in the order of their keys. */
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
  // An array is computed once. With a subquery in `IN` PostgreSQL can lose rows that it had to wait for.
  const among = all ? `ARRAY(SELECT unnest(${list}) UNION ALL ${pairs})` : list;
  const isLinked =
    join.kind === 'junction'
      ? `${id} IN (${pairs})`
      : `${columnOf(row, join.targetColumn)} IS NOT DISTINCT FROM ${mine}`;
  const held = join.kind === 'junction' ? 'NULL::text' : `${columnOf(row, join.targetColumn)}::text`;
  const holds = (condition: Condition): string => `(${renderCondition(condition, row, sql)}) IS TRUE`;
  // A record that holds the link is about to be changed; the others must not be deleted before it is made.
  const strength = join.kind === 'junction' ? 'KEY SHARE' : 'NO KEY UPDATE';
  const lock = locks === 'none' ? '' : ` FOR ${strength} OF ${row}${locks === 'free' ? ' SKIP LOCKED' : ''}`;
  return sql.statement(
    `SELECT ${id}::text AS id, ${isLinked} AS linked, ${holds(seen)} AS seen, ${holds(touch)} AS may, ${held} AS held ` +
      `FROM ${q(join.targetTable)} ${row} WHERE ${id} = ANY(${among}) AND ${holds(live)} ORDER BY ${id}${lock}`,
  );
}

/**
 * Adds pairs to a junction, behind those that are there.
 *
 * @param replaces true if the pairs are the whole list: those that are there take their places in it.
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

/** The text that adds pairs of one record to a junction. */
export interface InsertedPairs {
  readonly own: string;
  /** A name that `own` needs. */
  readonly from?: string;
  /** The keys of the others, as an array; one may stand in it twice, and counts where it is first. */
  readonly list: string;
  readonly replaces: boolean;
  /** True if the record is new and no key stands in the list twice: then no pair can be there. */
  readonly isNew?: boolean;
}

/** Writes the statement that adds pairs; what counts their order does so row by row, in that of the list. */
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

/** Adds pairs to a junction, each of one record and one other; those that are there stay. */
export function renderLinkPairs(join: JunctionJoin, own: WrittenValue, others: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const columns = `${q(join.junctionOwnColumn)}, ${q(join.junctionTargetColumn)}`;
  const lists = [own, others].map(({ value, sqlType }) => sql.parameter(value, `${sqlType}[]`)).join(', ');
  return sql.statement(
    `INSERT INTO ${q(join.junctionTable)} (${columns}) SELECT * FROM unnest(${lists}) ON CONFLICT DO NOTHING`,
  );
}

/** Takes pairs out of a junction. */
export function renderUnlink(join: JunctionJoin, own: WrittenValue, others: WrittenValue): SqlStatement {
  const sql = new SqlWriter();
  const mine = `${q(join.junctionOwnColumn)} = ${sql.parameter(own.value, own.sqlType)}`;
  const which = `${q(join.junctionTargetColumn)} = ANY(${sql.parameter(others.value, `${others.sqlType}[]`)})`;
  return sql.statement(`DELETE FROM ${q(join.junctionTable)} WHERE ${mine} AND ${which}`);
}
