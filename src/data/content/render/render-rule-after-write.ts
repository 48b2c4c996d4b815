import { quoteIdentifier as q } from '../../model/identifiers.js';
import { type KeyColumn, keyOf } from '../resolve/keys.js';
import { keysOf, type RecordWrite, type WrittenLinks } from '../resolve/writes/record-write.js';
import type { WrittenValue } from '../resolve/sql-values.js';
import { renderCondition, parameters } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

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
