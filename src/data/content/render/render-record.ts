import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { PlannedColumn, PlannedRecord, PlannedRelation } from '../plan/query-plan.types.js';
import type { ResolvedSort } from '../resolve/resolved.types.js';
import { bracketed, renderCondition, renderJoin, renderJunction, renderOperand } from './render-condition.js';
import { columnOf, SqlWriter } from './sql-writer.js';

/** Texts of records of plain columns, which are made of nothing but the names that the record and its JSON go by. */
const PLAIN = new WeakMap<PlannedRecord, Map<string, string>>();
/** Names differ by what else a statement has; few do of records that are written often. */
const MOST_NAMES = 16;

/** Writes the JSON object of the record that goes by `alias`, with its expanded relations. */
export function renderRecord(record: PlannedRecord, alias: string, sql: SqlWriter): string {
  const { columns, relations } = record;
  if (columns.length + relations.length === 0) return `'{}'::json`;
  if (isPlain(record)) return plainJson(record, alias, sql.alias());
  const members = [
    ...columns.map((column) => member(column, alias, sql)),
    ...relations.map((relation) => `${renderRelation(relation, alias, sql)} AS ${memberName(relation.name)}`),
  ];
  return jsonOf(members, sql.alias());
}

/** Returns whether its text has no parameter and no other table. */
function isPlain({ columns, relations }: PlannedRecord): boolean {
  return relations.length === 0 && columns.every(({ operand }) => operand.kind === 'column' && operand.guard === null);
}

function plainJson(record: PlannedRecord, alias: string, row: string): string {
  const known = PLAIN.get(record) ?? new Map<string, string>();
  const names = `${alias} ${row}`;
  const text =
    known.get(names) ??
    jsonOf(
      record.columns.map((column) => member(column, alias, new SqlWriter())),
      row,
    );
  if (known.size < MOST_NAMES) PLAIN.set(record, known.set(names, text));
  return text;
}

function member({ name, operand, type }: PlannedColumn, alias: string, sql: SqlWriter): string {
  return `${jsonValue(renderOperand(operand, alias, sql), type)} AS ${memberName(name)}`;
}

function jsonOf(members: readonly string[], row: string): string {
  return `(SELECT row_to_json(${row}) FROM (SELECT ${members.join(', ')}) ${row})`;
}

/**
 * Writes an order.
 *
 * @param first what comes before it, as it stands in the statement.
 */
export function renderSort(
  sort: readonly ResolvedSort[],
  alias: string,
  sql: SqlWriter,
  first: readonly string[] = [],
): string {
  if (sort.length + first.length === 0) return '';
  const keys = sort.map(({ operand, descending }) => {
    return `${renderOperand(operand, alias, sql)} ${descending ? 'DESC' : 'ASC'}`;
  });
  return ` ORDER BY ${[...first, ...keys].join(', ')}`;
}

function renderRelation(relation: PlannedRelation, outer: string, sql: SqlWriter): string {
  const inner = sql.alias();
  const child = sql.alias();
  const { join } = relation;
  const junction = join.kind === 'junction' ? sql.alias() : '';
  const parts = [
    join.kind === 'junction' ? renderJunction(join, outer, inner, junction) : renderJoin(join, outer, inner, sql),
  ];
  if (relation.where.kind !== 'constant' || !relation.where.value) parts.push(bracketed(relation.where, inner, sql));
  const order = renderSort(
    relation.sort,
    inner,
    sql,
    relation.order === null ? [] : [columnOf(junction, relation.order)],
  );
  const limit = relation.many ? sql.parameter(relation.limit, 'bigint') : '1';
  const rows = `(SELECT ${inner}.* ${parts.join(' AND ')}${order} LIMIT ${limit}) ${child}`;
  const record = renderRecord(relation.record, child, sql);
  const value = relation.many
    ? `(SELECT coalesce(json_agg(${record}), '[]'::json) FROM ${rows})`
    : `(SELECT ${record} FROM ${rows})`;
  if (relation.guard === null) return value;
  return `(CASE WHEN ${renderCondition(relation.guard, outer, sql)} THEN ${value} END)`;
}

/** Returns how a value stands in JSON: whole numbers beyond 2^53 as text, bytes as base64, times as ISO 8601 in UTC. */
export function jsonValue(value: string, type: FieldType): string {
  if (type === 'int64' || type === 'uint64')
    return `(CASE WHEN ${value} BETWEEN -9007199254740991 AND 9007199254740991 THEN to_json(${value}) ELSE to_json(${value}::text) END)`;
  if (type === 'bytes') return `translate(encode(${value}, 'base64'), E'\\n', '')`;
  if (type === 'time') return `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return value;
}

/** Names come from the snapshot; those for getters begin with a character that no field has. */
function memberName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the keys of the record that goes by `alias`, as text, for a cursor. */
export function renderKeys(sort: readonly ResolvedSort[], alias: string, sql: SqlWriter): string {
  const keys = sort.map(({ operand }) => `(${renderOperand(operand, alias, sql)})::text`);
  return `json_build_array(${keys.join(', ')})`;
}
