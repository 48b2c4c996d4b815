import { memoize } from '../../../kernel/memoize.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { type PlannedColumn, type PlannedRecord, type PlannedRelation, TRUNCATED } from '../plan/query-plan.types.js';
import type { ResolvedSort } from '../resolve/conditions.js';
import { bracketed, renderCondition, renderJoin, renderJunction, renderOperand } from './render-condition.js';
import { columnOf, SqlWriter } from './sql-writer.js';

/** Cache of rendered records with plain columns. Their SQL depends only on the aliases. */
const plainTexts = memoize((_record: PlannedRecord) => new Map<string, string>());
/** Maximum cached alias pairs per record. Aliases vary with the rest of the statement. @internal */
const MAX_NAMES = 16;

export function renderRecord(record: PlannedRecord, alias: string, sql: SqlWriter): string {
  const { columns, relations } = record;
  if (columns.length + relations.length === 0) return `'{}'::json`;
  if (isPlain(record)) return plainJson(record, alias, sql.alias());
  const members = [
    ...columns.map((column) => member(column, alias, sql)),
    ...relations.map((relation) => `${renderRelation(relation, alias, sql)} AS ${memberName(relation.name)}`),
  ];
  const row = sql.alias();
  return relations.some(isBounded) ? markedJson(record, members, row, sql) : jsonOf(members, row);
}

function isBounded({ many, limit }: PlannedRelation): boolean {
  return many && limit !== null;
}

/**
 * Renders a JSON object that names its truncated lists in `_truncated`. A truncated list has one record more than its limit. The statement
 * is planned for each request, so the common case has no join. `OFFSET 0` computes each list once.
 */
function markedJson(
  { columns, relations }: PlannedRecord,
  members: readonly string[],
  row: string,
  sql: SqlWriter,
): string {
  const lists = relations.filter(isBounded).map(({ name, limit }) => {
    const [list, maximum] = [`${row}.${memberName(name)}`, sql.parameter(limit, 'int')];
    return { name, isCut: `cardinality(${list}) > ${maximum}`, first: `${list}[1:${maximum}] AS ${memberName(name)}` };
  });
  const names = lists.map(({ name, isCut }) => `CASE WHEN ${isCut} THEN ${quoteText(name)} END`);
  const shortened = [
    ...[...columns, ...relations].map(({ name }) => {
      return lists.find((list) => list.name === name)?.first ?? `${row}.${memberName(name)}`;
    }),
    `array_remove(ARRAY[${names.join(', ')}], NULL) AS ${memberName(TRUNCATED)}`,
  ];
  const isAnyCut = lists.map(({ isCut }) => isCut).join(' OR ');
  return `(SELECT CASE WHEN ${isAnyCut} THEN ${jsonOf(shortened, sql.alias())} ELSE row_to_json(${row}) END FROM (SELECT ${members.join(', ')} OFFSET 0) ${row})`;
}

function isPlain({ columns, relations }: PlannedRecord): boolean {
  return relations.length === 0 && columns.every(({ operand }) => operand.kind === 'column' && operand.guard === null);
}

function plainJson(record: PlannedRecord, alias: string, row: string): string {
  const cached = plainTexts(record);
  const names = `${alias} ${row}`;
  const text =
    cached.get(names) ??
    jsonOf(
      record.columns.map((column) => member(column, alias, new SqlWriter())),
      row,
    );
  if (cached.size < MAX_NAMES) cached.set(names, text);
  return text;
}

function member({ name, operand, type }: PlannedColumn, alias: string, sql: SqlWriter): string {
  return `${jsonValue(renderOperand(operand, alias, sql), type)} AS ${memberName(name)}`;
}

function jsonOf(members: readonly string[], row: string): string {
  return `(SELECT row_to_json(${row}) FROM (SELECT ${members.join(', ')}) ${row})`;
}

/** @param first SQL sort keys that come first. */
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

/** Renders the value of a relation: the JSON of one record or of all, or an array that may exceed the limit by one. */
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
  const { selected, json } = relatedRecord(relation, inner, child, sql);
  const rows = `(SELECT ${selected} ${parts.join(' AND ')}${order}${renderLimit(relation, sql)}) ${child}`;
  const value = `(SELECT ${collected(relation, json)} FROM ${rows})`;
  if (relation.guard === null) return value;
  return `(CASE WHEN ${renderCondition(relation.guard, outer, sql)} THEN ${value} END)`;
}

function relatedRecord(
  { key, record }: PlannedRelation,
  inner: string,
  child: string,
  sql: SqlWriter,
): { selected: string; json: string } {
  if (key !== undefined)
    return { selected: `${inner}.*`, json: jsonValue(renderOperand(key.operand, child, sql), key.type) };
  if (record.columns.length === 0 || !isPlain(record))
    return { selected: `${inner}.*`, json: renderRecord(record, child, sql) };
  const members = record.columns.map((column) => member(column, inner, sql));
  return { selected: members.join(', '), json: `row_to_json(${child})` };
}

/** Reads one record more than the limit, to detect truncation. */
function renderLimit({ many, limit }: PlannedRelation, sql: SqlWriter): string {
  if (!many) return ' LIMIT 1';
  return limit === null ? '' : ` LIMIT ${sql.parameter(limit + 1, 'bigint')}`;
}

function collected({ many, limit }: PlannedRelation, record: string): string {
  if (!many) return record;
  return limit === null ? `coalesce(json_agg(${record}), '[]'::json)` : `coalesce(array_agg(${record}), '{}')`;
}

/** Renders a value for JSON: integers beyond 2^53 as text, bytes as base64, times as ISO 8601 in UTC. */
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

/** Names come from the snapshot. Names for getters begin with a character that no field name contains. */
export function memberName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function renderKeys(sort: readonly ResolvedSort[], alias: string, sql: SqlWriter): string {
  const keys = sort.map(({ operand }) => `(${renderOperand(operand, alias, sql)})::text`);
  return `json_build_array(${keys.join(', ')})`;
}
