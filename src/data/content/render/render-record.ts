import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import { type PlannedColumn, type PlannedRecord, type PlannedRelation, TRUNCATED } from '../plan/query-plan.types.js';
import type { ResolvedSort } from '../resolve/resolved.types.js';
import { bracketed, renderCondition, renderJoin, renderJunction, renderOperand } from './render-condition.js';
import { columnOf, SqlWriter } from './sql-writer.js';

/** Texts of records of plain columns, which are made of nothing but the names that the record and its JSON go by. */
const PLAIN = new WeakMap<PlannedRecord, Map<string, string>>();
/** Names differ by what else a statement has; few do of records that are written often. @internal */
const MOST_NAMES = 16;

/** Writes the JSON object of the record that goes by `alias`, with its expanded relations. */
export function renderRecord(record: PlannedRecord, alias: string, sql: SqlWriter): string {
  const { columns, relations } = record;
  if (columns.length + relations.length === 0) return `'{}'::json`;
  if (isPlain(record)) return plainJson(record, alias, sql.alias());
  const isBounded = ({ many, limit }: PlannedRelation): boolean => many && limit !== null;
  const lists = relations.some(isBounded) ? sql.alias() : '';
  const bounded = relations.filter(isBounded).map((relation): BoundedList => {
    const list = `${lists}.${q(relation.name)}`;
    const limit = sql.parameter(relation.limit, 'int');
    const found = `${renderRelation(relation, alias, sql)} AS ${memberName(relation.name)}`;
    return { relation, found, list, limit };
  });
  const members = [
    ...columns.map((column) => member(column, alias, sql)),
    ...relations.map((relation) => {
      const known = bounded.find((one) => one.relation === relation);
      const value =
        known === undefined ? renderRelation(relation, alias, sql) : `array_to_json(${known.list}[1:${known.limit}])`;
      return `${value} AS ${memberName(relation.name)}`;
    }),
  ];
  return bounded.length === 0 ? jsonOf(members, sql.alias()) : markedJson(members, lists, bounded, sql);
}

/** A list with one record more than it may have, if there are more. */
interface BoundedList {
  readonly relation: PlannedRelation;
  /** The array of its records, as a column. */
  readonly found: string;
  /** The same column, by its name. */
  readonly list: string;
  readonly limit: string;
}

/**
 * Writes a JSON object that names its incomplete lists in `_truncated`. `OFFSET 0` keeps PostgreSQL from computing a list once for
 * each place where it is used.
 */
function markedJson(
  members: readonly string[],
  lists: string,
  bounded: readonly BoundedList[],
  sql: SqlWriter,
): string {
  const [row, json] = [sql.alias(), sql.alias()];
  const cut = bounded.map(({ relation, list, limit }) => {
    return `CASE WHEN cardinality(${list}) > ${limit} THEN ${quoteText(relation.name)} END`;
  });
  const found = bounded.map((one) => one.found).join(', ');
  const marked = `SELECT row_to_json(${row}) AS record, array_remove(ARRAY[${cut.join(', ')}], NULL) AS cut FROM (SELECT ${found} OFFSET 0) ${lists}, LATERAL (SELECT ${members.join(', ')}) ${row} OFFSET 0`;
  const added = `left(${json}.record::text, -1) || ',"${TRUNCATED}":' || array_to_json(${json}.cut)::text || '}'`;
  return `(SELECT CASE WHEN cardinality(${json}.cut) > 0 THEN (${added})::json ELSE ${json}.record END FROM (${marked}) ${json})`;
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
  const rows = `(SELECT ${inner}.* ${parts.join(' AND ')}${order}${renderLimit(relation, sql)}) ${child}`;
  const record = relation.key ? keyValue(relation.key, child, sql) : renderRecord(relation.record, child, sql);
  const value = `(SELECT ${collected(relation, record)} FROM ${rows})`;
  if (relation.guard === null) return value;
  return `(CASE WHEN ${renderCondition(relation.guard, outer, sql)} THEN ${value} END)`;
}

/** Renders the limit. One record more than it shows that there are more. */
function renderLimit({ many, limit }: PlannedRelation, sql: SqlWriter): string {
  if (!many) return ' LIMIT 1';
  return limit === null ? '' : ` LIMIT ${sql.parameter(limit + 1, 'bigint')}`;
}

function collected({ many, limit }: PlannedRelation, record: string): string {
  if (!many) return record;
  return limit === null ? `coalesce(json_agg(${record}), '[]'::json)` : `coalesce(array_agg(${record}), '{}')`;
}

function keyValue({ operand, type }: PlannedColumn, alias: string, sql: SqlWriter): string {
  return jsonValue(renderOperand(operand, alias, sql), type);
}

/** Returns how a value stands in JSON: whole numbers beyond 2^53 as text, bytes as base64, times as ISO 8601 in UTC. */
export function jsonValue(value: string, type: FieldType): string {
  if (type === 'int64' || type === 'uint64')
    return `(CASE WHEN ${value} BETWEEN -9007199254740991 AND 9007199254740991 THEN to_json(${value}) ELSE to_json(${value}::text) END)`;
  if (type === 'bytes') return `translate(encode(${value}, 'base64'), E'\\n', '')`;
  if (type === 'time') return `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return value;
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'::text`;
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
