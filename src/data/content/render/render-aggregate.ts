import { memberName, jsonValue } from './render-record.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { fieldType } from '../../model/field-types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { AggregatePlan, PlannedAggregate } from '../plan/plan-list.js';
import { AGGREGATE_FUNCTIONS } from '../request/parse-list-query.js';
import type { Operand } from '../resolve/conditions.js';
import { renderCondition, renderJoinedOperand } from './render-condition.js';
import { type SqlStatement, SqlWriter } from './sql-writer.js';

/** Member names that a group name must not collide with. */
const OWN_MEMBERS = ['count', ...AGGREGATE_FUNCTIONS];

/**
 * Renders an aggregate as one statement. `items` is the JSON of its groups, `size` the number found (limit + 1 if there are more), `last`
 * the keys of the last group.
 */
export function renderAggregate(plan: AggregatePlan): SqlStatement {
  const sql = new SqlWriter();
  const [row, group, entry, page] = [sql.alias(), sql.alias(), sql.alias(), sql.alias()];
  const joins: string[] = [];
  const operandOf = (operand: Operand): string => renderJoinedOperand(operand, row, sql, joins);
  const groups = plan.groups.map(({ operand }, at) => `${operandOf(operand)} AS g${at}`);
  const values = plan.values.map((value, at) => `${aggregated(value, operandOf(value.operand))} AS v${at}`);
  const where = renderCondition(plan.where, row, sql);
  const positions = plan.groups.map((_, at) => String(at + 1)).join(', ');
  const grouped =
    positions === ''
      ? ''
      : ` GROUP BY ${positions} ORDER BY ${positions} LIMIT ${sql.parameter(plan.limit + 1, 'bigint')}`;
  const columns = [...groups, 'count(*) AS n', ...values].join(', ');
  const inner = `SELECT ${columns} FROM ${q(plan.table)} ${row}${joins.join('')} WHERE ${where}${grouped}`;
  const members = [
    ...groupMembers(plan, group, sql),
    ...(plan.counts ? [`${group}.n AS "count"`] : []),
    ...AGGREGATE_FUNCTIONS.flatMap((aggregate) => functionMember(aggregate, plan, group, sql)),
  ];
  const keys = plan.groups.map((_, at) => `${group}.g${at}::text`).join(', ');
  const record = `(SELECT row_to_json(${entry}) FROM (SELECT ${members.join(', ')}) ${entry})`;
  const list = `SELECT ${record} AS record, json_build_array(${keys}) AS keys FROM (${inner}) ${group}`;
  const limit = sql.parameter(plan.limit, 'int');
  const items = `array_to_json((coalesce(array_agg(${page}.record), '{}'))[1:${limit}])::text AS items`;
  const last = `(array_agg(${page}.keys))[${limit}]::text AS last`;
  return sql.statement(`SELECT ${items}, count(*)::text AS size, ${last} FROM (${list}) ${page}`);
}

/** Renders the group values. If a name collides with another member, they are nested in `group`. */
function groupMembers({ groups }: AggregatePlan, group: string, sql: SqlWriter): readonly string[] {
  const own = groups.map(({ name, type }, at) => `${jsonValue(`${group}.g${at}`, type)} AS ${memberName(name)}`);
  if (!groups.some(({ name }) => OWN_MEMBERS.includes(name))) return own;
  const row = sql.alias();
  return [`(SELECT row_to_json(${row}) FROM (SELECT ${own.join(', ')}) ${row}) AS "group"`];
}

function functionMember(
  aggregate: string,
  { values }: AggregatePlan,
  group: string,
  sql: SqlWriter,
): readonly string[] {
  const own = values.flatMap((value, at) => (value.function === aggregate ? [{ ...value, at }] : []));
  if (own.length === 0) return [];
  const row = sql.alias();
  const list = own.map(({ name, type, function: kind, at }) => {
    return `${jsonValue(`${group}.v${at}`, resultType(kind, type))} AS ${memberName(name)}`;
  });
  return [`(SELECT row_to_json(${row}) FROM (SELECT ${list.join(', ')}) ${row}) AS "${aggregate}"`];
}

/** Sums never overflow. Integers are summed as `numeric`, floats by {@link doubleSum}. */
function aggregated({ function: aggregate, type }: PlannedAggregate, value: string): string {
  const { family } = fieldType(type);
  if (aggregate !== 'sum' && aggregate !== 'avg') return `${aggregate}(${value})`;
  if (family === 'float') return doubleSum(aggregate, `${value}::double precision`);
  return aggregate === 'avg' ? `avg(${value})::double precision` : `sum(${value})::numeric`;
}

/** Values below this limit cannot exceed a double, even if a table has the maximum number of rows. */
const SUMMABLE = '1e290::double precision';
const LARGEST_DOUBLE = '1.7976931348623157e308::numeric';

/**
 * Renders the JSON of a sum or average of doubles. PostgreSQL fails if a sum exceeds the largest double, so large values are summed
 * separately as `numeric`. A sum that does not fit a double is returned as text, like integers beyond 2^53.
 */
function doubleSum(aggregate: 'sum' | 'avg', value: string): string {
  const plain = `FILTER (WHERE abs(${value}) < ${SUMMABLE})`;
  const huge = `sum(${value}::text::numeric) FILTER (WHERE abs(${value}) >= ${SUMMABLE})`;
  const total = `(${huge} + coalesce(sum(${value}) ${plain}, 0)::text::numeric)`;
  const average = aggregate === 'sum' ? total : `(${total} / count(${value}))`;
  return (
    `CASE WHEN ${huge} IS NULL THEN to_json(${aggregate}(${value}) ${plain}) ` +
    `WHEN abs(round(${average})) <= ${LARGEST_DOUBLE} THEN to_json(${average}::double precision) ` +
    `ELSE to_json(round(${average})::text) END`
  );
}

/** Returns the type that determines the JSON form of a result. {@link doubleSum} renders sums of doubles itself. */
function resultType(aggregate: string, type: FieldType): FieldType {
  if (aggregate === 'avg') return 'float64';
  return aggregate === 'sum' && fieldType(type).family === 'integer' ? 'uint64' : type;
}
