import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { ListPlan, RecordPlan } from '../plan/query-plan.types.js';
import type { KeyColumn } from '../resolve/sql-values.js';
import { bracketed, renderCondition, renderOperand } from './render-condition.js';
import { renderKeys, renderRecord, renderSort } from './render-record.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/**
 * Renders a list as one statement. `items` is the JSON of the page, `last` the sort keys of its last record, `size` the number found (a
 * cursor page reads one extra record). `total` is the count (null if not requested). `parentExists` is whether the parent record can be read.
 */
export function renderList(plan: ListPlan): SqlStatement {
  const sql = new SqlWriter();
  const [row, page, entry] = [sql.alias(), sql.alias(), sql.alias()];
  const { first, rows, total } =
    plan.distinctKey === null
      ? renderSeparateRows(plan, row, sql)
      : renderDistinctRows(plan, plan.distinctKey, row, sql);
  const record = renderRecord(plan.record, page, sql);
  const keys = plan.byCursor ? `, ${renderKeys(plan.sort, page, sql)} AS keys, row_number() OVER () AS place` : '';
  const entries = `SELECT ${record} AS record${keys} FROM (${rows}) ${page}`;
  const onPage = plan.byCursor ? ` FILTER (WHERE ${entry}.place <= ${sql.parameter(plan.limit, 'bigint')})` : '';
  const items = `coalesce(json_agg(${entry}.record)${onPage}, '[]'::json)::text AS items`;
  const last = plan.byCursor ? `(json_agg(${entry}.keys)${onPage} -> -1)::text AS last` : 'NULL::text AS last';
  const parentExists = renderParentExists(plan, sql);
  return sql.statement(
    `${first}SELECT ${items}, count(*)::int AS size, ${last}, ${total()} AS total${parentExists} FROM (${entries}) ${entry}`,
  );
}

function renderParentExists({ linkedTo }: ListPlan, sql: SqlWriter): string {
  if (linkedTo === null) return '';
  const row = sql.alias();
  const where = renderCondition(linkedTo.where, row, sql);
  return `, EXISTS (SELECT 1 FROM ${q(linkedTo.table)} ${row} WHERE ${where})::text AS there`;
}

export function renderRows({ table, where, sort, record }: ListPlan): SqlStatement {
  const sql = new SqlWriter();
  const [row, found] = [sql.alias(), sql.alias()];
  const rows = `SELECT ${row}.* FROM ${q(table)} ${row} WHERE ${renderCondition(where, row, sql)}${renderSort(sort, row, sql)}`;
  return sql.statement(`SELECT ${renderRecord(record, found, sql)}::text AS item FROM (${rows}) ${found}`);
}

interface FoundRows {
  readonly first: string;
  readonly rows: string;
  readonly total: () => string;
}

function renderSeparateRows(plan: ListPlan, row: string, sql: SqlWriter): FoundRows {
  const where = renderCondition(plan.where, row, sql);
  const order = renderSort(plan.sort, row, sql);
  const rows = `SELECT ${row}.* FROM ${q(plan.table)} ${row} WHERE ${where}${order}${renderPage(plan, sql)}`;
  return { first: '', rows, total: () => renderTotal(plan, sql) };
}

/** Selects all keys and sort values once, for both the count and the page. Only the rows of the page are then read. */
function renderDistinctRows(plan: ListPlan, key: KeyColumn, row: string, sql: SqlWriter): FoundRows {
  const [found, sorted, own] = [sql.alias(), sql.alias(), columnOf(row, key.column)];
  const where = renderCondition(plan.where, row, sql);
  const sortColumns = plan.sort.map(({ operand }, at) => `, ${renderOperand(operand, row, sql)} AS s${at}`).join('');
  const order = (of: string): string =>
    plan.sort.map(({ descending }, at) => `${of}.s${at} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  const first = `WITH ${found} AS MATERIALIZED (SELECT ${own} AS key${sortColumns} FROM ${q(plan.table)} ${row} WHERE ${where}) `;
  const page = `SELECT * FROM ${found} ORDER BY ${order(found)}${renderPage(plan, sql)}`;
  const rows = `SELECT ${row}.* FROM (${page}) ${sorted} JOIN ${q(plan.table)} ${row} ON ${own} = ${sorted}.key ORDER BY ${order(sorted)}`;
  return { first, rows, total: () => `(SELECT count(*) FROM ${found})::text` };
}

function renderPage({ byCursor, limit, offset }: ListPlan, sql: SqlWriter): string {
  const limitClause = ` LIMIT ${sql.parameter(byCursor ? limit + 1 : limit, 'bigint')}`;
  return offset === 0 ? limitClause : `${limitClause} OFFSET ${sql.parameter(offset, 'bigint')}`;
}

/**
 * Renders a read of one record. `item` is its JSON; `version` changes with every update of the row. Returns no row if the record does not
 * exist.
 */
export function renderRecordQuery(plan: RecordPlan): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const where = renderCondition(plan.where, row, sql);
  const record = renderRecord(plan.record, row, sql);
  const columns = `${record}::text AS item, ${row}.xmin::text AS version`;
  return sql.statement(`SELECT ${columns} FROM ${q(plan.table)} ${row} WHERE ${where}`);
}

/** Renders a read of records by key, with key and version as text. Records that do not match the condition are omitted. */
export function renderRecords(
  { table, where, record }: RecordPlan,
  { column, sqlType }: KeyColumn,
  ids: readonly unknown[],
): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const key = columnOf(row, column);
  const among = `${key} = ANY(${sql.parameter(ids, `${sqlType}[]`)}) AND ${bracketed(where, row, sql)}`;
  const columns = `${key}::text AS id, ${renderRecord(record, row, sql)}::text AS item, ${row}.xmin::text AS version`;
  return sql.statement(`SELECT ${columns} FROM ${q(table)} ${row} WHERE ${among}`);
}

function renderTotal({ table, counted, countTo }: ListPlan, sql: SqlWriter): string {
  if (countTo === 0) return 'NULL::text';
  const row = sql.alias();
  const where = renderCondition(counted, row, sql);
  const from = `FROM ${q(table)} ${row} WHERE ${where}`;
  if (countTo === null) return `(SELECT count(*) ${from})::text`;
  const capped = sql.alias();
  return `(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${sql.parameter(countTo, 'bigint')}) ${capped})::text`;
}
