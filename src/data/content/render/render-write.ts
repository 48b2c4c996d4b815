import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { LockStrength, PlannedLock, RowLocks, WriteTurn } from '../plan/plan-locks.js';
import type { RecordPlan } from '../plan/query-plan.types.js';
import type { RowGuard } from '../plan/plan-write.js';
import type { Condition } from '../resolve/conditions.js';
import { type KeyColumn, keyOf, type WrittenValue } from '../resolve/sql-values.js';
import { bracketed, ruleOverRow, parameters, renderJoin, renderCondition } from './render-condition.js';
import { renderRecord } from './render-record.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';
import { keysOf, type RecordWrite, type WrittenLinks } from '../resolve/writes/record-write.js';

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

/** Name of the rows after the write. No table has this name. */
const ROWS = q('#');

export interface UnwrittenRows {
  readonly write: RecordWrite;
  readonly values: ReadonlyMap<string, WrittenValue>;
  readonly ids: readonly unknown[] | null;
}

/**
 * Returns one row for each record that would match the rule after the write, including its links to existing records. CTEs with the names
 * of the tables contain their future rows, so that the rule can be rendered unchanged.
 */
export function renderRuleAfterWrite({ write, values, ids }: UnwrittenRows): SqlStatement {
  const { schema, rule, links } = write;
  const sql = new SqlWriter();
  const [row, old] = [sql.alias(), sql.alias()];
  const { name, columns } = schema.table;
  const key = keyOf(schema);
  const inputs = parameters(values, sql);
  const overlaid = links.filter((link) => isByKeys(link, key));
  const changed = (): string | undefined => (overlaid.length === 0 ? undefined : sql.parameter(ids?.[0], key.sqlType));
  const own = ids === null ? inputs.get(key.column) : changed();
  const among = ids && `${columnOf(old, key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`;
  const list = columns.map((column) => {
    const oldValue = among === null ? `NULL::${column.sqlType}` : columnOf(old, column.name);
    return `${inputs.get(column.name) ?? oldValue} AS ${q(column.name)}`;
  });
  const rows = `SELECT ${list.join(', ')}${among === null ? '' : ` FROM ${q(name)} ${old} WHERE ${among}`}`;
  const isOtherRow = among ?? (own === undefined ? 'false' : `${columnOf(old, key.column)} = ${own}`);
  const names = columns.map((column) => q(column.name)).join(', ');
  const table = `SELECT ${names} FROM ${q(name)} ${old} WHERE NOT (${isOtherRow}) UNION ALL SELECT ${names} FROM ${ROWS}`;
  const tables = new Map([[name, table]]);
  if (own !== undefined) for (const link of overlaid) overlay(tables, { link, own, isNew: ids === null }, sql);
  const steps = [...tables].map(([shadow, text]) => `${q(shadow)} AS NOT MATERIALIZED (${text})`);
  const ruleHolds = renderCondition(rule, row, sql);
  return sql.statement(
    `WITH ${[`${ROWS} AS (${rows})`, ...steps].join(', ')} SELECT 1 AS held FROM ${ROWS} ${row} WHERE ${ruleHolds}`,
  );
}

function isByKeys({ field: { join }, target }: WrittenLinks, key: KeyColumn): boolean {
  return join.ownColumn === key.column && (join.kind === 'direct' || join.targetColumn === keyOf(target).column);
}

interface OverlaidLink {
  readonly link: WrittenLinks;
  readonly own: string;
  readonly isNew: boolean;
}

/** Replaces the table that stores a link by its content after the write. */
function overlay(tables: Map<string, string>, { link, own, isNew }: OverlaidLink, sql: SqlWriter): void {
  const { field, target, remove, replaces } = link;
  const { join } = field;
  const other = keyOf(target);
  const name = join.kind === 'junction' ? join.junctionTable : join.targetTable;
  const before = tables.get(name);
  const old = sql.alias();
  const from = `FROM ${before === undefined ? q(name) : `(${before})`} ${old}`;
  const add = sql.parameter(keysOf(link.add), `${other.sqlType}[]`);
  const gone = replaces || isNew ? 'true' : null;
  const removed = (column: string): string =>
    gone ?? `${columnOf(old, column)} = ANY(${sql.parameter(remove, `${other.sqlType}[]`)})`;
  if (join.kind === 'junction') {
    const [ownKey, targetKey] = [columnOf(old, join.junctionOwnColumn), columnOf(old, join.junctionTargetColumn)];
    const columns = [join.junctionOwnColumn, join.junctionTargetColumn].map(q).join(', ');
    const otherLinks = `NOT (${ownKey} = ${own} AND (${targetKey} = ANY(${add}) OR ${removed(join.junctionTargetColumn)}))`;
    tables.set(name, `SELECT ${columns} ${from} WHERE ${otherLinks} UNION ALL SELECT ${own}, unnest(${add})`);
    return;
  }
  const columns = target.table.columns.map((column) => column.name);
  const oldValues = columns.map((column) => (column === join.targetColumn ? own : columnOf(old, column)));
  const id = columnOf(old, other.column);
  const loses = `${columnOf(old, join.targetColumn)} IS NOT DISTINCT FROM ${own} AND ${removed(other.column)}`;
  tables.set(
    name,
    `SELECT ${columns.map(q).join(', ')} ${from} WHERE NOT (${id} = ANY(${add}) OR (${loses})) ` +
      `UNION ALL SELECT ${oldValues.join(', ')} ${from} WHERE ${id} = ANY(${add})`,
  );
}
