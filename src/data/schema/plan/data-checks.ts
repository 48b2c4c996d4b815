import { quoteIdentifier as q, quoteIdentifiers } from '../../model/identifiers.js';
import type { LinkedCheck, LinkedColumn, LinkedTable } from '../../model/schema-model.types.js';
import type { DataCheck } from './plan.types.js';
import { quoteText, checkCondition } from './action-sql.js';

const EXAMPLES = 5;
/** Maximum columns that PostgreSQL assigns to a table over its lifetime (MaxHeapAttributeNumber). @internal */
const MAX_COLUMNS = 1_600;

/** Fails if the table has rows, because a required column without a default would have no value for them. */
export function emptyTableCheck(table: LinkedTable, column: LinkedColumn): DataCheck {
  const message = `the rows of "${table.name}" would have no value for the required column "${column.name}"`;
  return rowsCheck('empty_table', message, table.name, 'true', keyText(table));
}

export function notNullCheck(table: LinkedTable, column: string): DataCheck {
  const message = `rows of "${table.name}" have no value in "${column}"`;
  return rowsCheck('not_null', message, table.name, `${q(column)} IS NULL`, keyText(table));
}

export function uniqueCheck(table: string, columns: readonly string[], where: string | undefined): DataCheck {
  const list = quoteIdentifiers(columns);
  const present = [...columns.map((column) => `${q(column)} IS NOT NULL`), ...(where ? [where] : [])].join(' AND ');
  const groups = `SELECT ${list} FROM ${q(table)} WHERE ${present} GROUP BY ${list} HAVING count(*) > 1`;
  const example = `concat_ws(', ', ${columns.map((column) => `${q(column)}::text`).join(', ')})`;
  return {
    kind: 'unique',
    words: `values of ${columns.map((column) => `"${column}"`).join(', ')} in "${table}" occur more than once`,
    countSql: `SELECT count(*) AS "count" FROM (${groups}) AS "repeated"`,
    examplesSql: `SELECT ${example} AS "example" FROM (${groups}) AS "repeated" LIMIT ${EXAMPLES}`,
  };
}

/** Fails if the table has several rows, because a new unique column would have the same default in all of them. */
export function singleRowCheck(table: string, column: LinkedColumn): DataCheck {
  return {
    kind: 'unique',
    words: `the rows of "${table}" would all have the same default in the unique column "${column.name}"`,
    countSql: `SELECT greatest(count(*) - 1, 0) AS "count" FROM ${q(table)}`,
    examplesSql: `SELECT ''::text AS "example" WHERE false`,
  };
}

export function valueCheck(table: string, column: string, rule: LinkedCheck['rule']): DataCheck {
  const condition = `NOT (${checkCondition(column, rule)})`;
  const message = `values of "${column}" in "${table}" are no longer allowed`;
  return rowsCheck('value', message, table, condition, `${q(column)}::text`);
}

export function foreignKeyCheck(
  table: string,
  column: string,
  to: { table: string; column: string } | undefined,
): DataCheck {
  const found = to && `SELECT 1 FROM ${q(to.table)} AS "f" WHERE "f".${q(to.column)} = "t".${q(column)}`;
  const condition = `"t".${q(column)} IS NOT NULL${found ? ` AND NOT EXISTS (${found})` : ''}`;
  const message = `references of "${column}" in "${table}" refer to records that do not exist`;
  return rowsCheck('foreign_key', message, table, condition, `"t".${q(column)}::text`);
}

/** Counts the columns beyond the lifetime limit of PostgreSQL. Dropped columns count forever. */
export function columnsCheck(table: string, added: number): DataCheck {
  const columns = `FROM pg_attribute WHERE attrelid = to_regclass(${quoteText(q(table))}) AND attnum > 0`;
  const archived = `NOT attisdropped AND starts_with(attname::text, '_dropped_')`;
  return {
    kind: 'columns',
    words:
      `columns too many for "${table}": a PostgreSQL table can have ${MAX_COLUMNS} columns over its lifetime, and dropped columns count. ` +
      'Send allow_rebuild to rebuild the table, which also purges its dropped columns',
    countSql: `SELECT greatest(coalesce(max(attnum), 0) + ${added} - ${MAX_COLUMNS}, 0) AS "count" ${columns}`,
    examplesSql: `SELECT attname::text AS "example" ${columns} AND ${archived} ORDER BY attnum LIMIT ${EXAMPLES}`,
    full: table,
  };
}

export function castCheck(table: string, from: LinkedColumn, to: LinkedColumn, invalid: string): DataCheck {
  const message = `values of "${from.name}" in "${table}" do not fit ${to.sqlType}`;
  return rowsCheck('cast', message, table, invalid, `${q(from.name)}::text`);
}

export function countSql(table: string, condition?: string): string {
  return `SELECT count(*) AS "count" FROM ${q(table)}${condition ? ` WHERE ${condition}` : ''}`;
}

function keyText(table: LinkedTable): string {
  return `${q(table.primaryKey.columns[0] ?? 'id')}::text`;
}

function rowsCheck(
  kind: DataCheck['kind'],
  message: string,
  table: string,
  condition: string,
  example: string,
): DataCheck {
  const from = `FROM ${q(table)} AS "t" WHERE ${condition}`;
  return {
    kind,
    words: message,
    countSql: `SELECT count(*) AS "count" ${from}`,
    examplesSql: `SELECT ${example} AS "example" ${from} LIMIT ${EXAMPLES}`,
  };
}
