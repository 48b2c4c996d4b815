import { quoteIdentifier as q, searchVector } from '../../model/identifiers.js';
import type { Condition, JoinStep, Operand } from '../resolve/conditions.js';
import type { WrittenValue } from '../resolve/sql-values.js';
import { type SqlStatement, SqlWriter, columnOf } from './sql-writer.js';
import type { JunctionJoin, RelationJoin } from '../../model/schema-model.types.js';

type ConditionOf<K extends Condition['kind']> = Extract<Condition, { readonly kind: K }>;

export function renderCondition(condition: Condition, alias: string, sql: SqlWriter): string {
  const operand = (of: Operand): string => renderOperand(of, alias, sql);
  switch (condition.kind) {
    case 'constant':
      return condition.value ? 'TRUE' : 'FALSE';
    case 'all':
    case 'any':
      return joined(condition, alias, sql);
    case 'not':
      return renderNegation(condition.of, alias, sql);
    case 'sure':
      return `(${renderCondition(condition.of, alias, sql)}) IS TRUE`;
    case 'compare':
      return renderComparison(condition, alias, sql);
    case 'among':
      return `${operand(condition.left)} = ANY(${sql.parameter(condition.values, `${condition.sqlType}[]`)})`;
    case 'pattern':
      return `${operand(condition.left)} ${condition.ignoreCase ? 'ILIKE' : 'LIKE'} ${sql.parameter(condition.pattern, 'text')}`;
    case 'text':
      return renderText(condition, alias, sql);
    case 'present':
      return `${operand(condition.of)} IS NOT NULL`;
    case 'truth':
      return operand(condition.of);
    case 'exists': {
      const inner = sql.alias();
      const from = renderJoinStep(condition.joinStep, alias, inner, sql);
      return `EXISTS (SELECT 1 ${from} AND ${bracketed(condition.where, inner, sql)})`;
    }
    case 'through': {
      const inner = sql.alias();
      const from = renderJoinStep(condition.joinStep, alias, inner, sql);
      return `(SELECT ${renderCondition(condition.of, inner, sql)} ${from})`;
    }
    case 'given':
      return `(CASE WHEN ${renderCondition(condition.where, alias, sql)} THEN ${renderCondition(condition.of, alias, sql)} END)`;
    case 'search':
      return renderSearch(condition, alias, sql);
  }
}

export function renderOperand(operand: Operand, alias: string, sql: SqlWriter): string {
  if (operand.kind === 'value') return sql.parameter(operand.value, operand.sqlType);
  if (operand.kind === 'column') {
    const column = columnOf(alias, operand.column);
    if (operand.guard === null) return column;
    return `(CASE WHEN ${renderCondition(operand.guard, alias, sql)} THEN ${column} END)`;
  }
  if (operand.kind === 'place') return renderPlace(operand, alias, sql);
  const inner = sql.alias();
  const from = renderJoinStep(operand.joinStep, alias, inner, sql);
  return `(SELECT ${renderOperand(operand.of, inner, sql)} ${from})`;
}

function renderPlace(
  { join, order, of }: Extract<Operand, { readonly kind: 'place' }>,
  alias: string,
  sql: SqlWriter,
): string {
  const junction = sql.alias();
  const linked = `${columnOf(junction, join.junctionTargetColumn)} = ${columnOf(alias, join.targetColumn)}`;
  const own = `${columnOf(junction, join.junctionOwnColumn)} = ${renderOperand(of, alias, sql)}`;
  return `(SELECT ${columnOf(junction, order)} FROM ${q(join.junctionTable)} ${junction} WHERE ${own} AND ${linked})`;
}

/**
 * Renders an operand like {@link renderOperand}, but with one join for all rows instead of a subquery per row. Used by statements that read
 * a whole table.
 *
 * @param joins receives the joins for the `FROM` clause.
 */
export function renderJoinedOperand(operand: Operand, alias: string, sql: SqlWriter, joins: string[]): string {
  if (operand.kind !== 'referenced' || operand.joinStep.join.kind !== 'direct')
    return renderOperand(operand, alias, sql);
  const { join, where, guard } = operand.joinStep;
  const inner = sql.alias();
  const on = [`${columnOf(inner, join.targetColumn)} = ${columnOf(alias, join.ownColumn)}`];
  if (guard !== null) on.push(bracketed(guard, alias, sql));
  if (where.kind !== 'constant' || !where.value) on.push(bracketed(where, inner, sql));
  joins.push(` LEFT JOIN ${q(join.targetTable)} ${inner} ON ${on.join(' AND ')}`);
  return renderJoinedOperand(operand.of, inner, sql, joins);
}

function renderJoinStep({ join, where, guard }: JoinStep, outer: string, inner: string, sql: SqlWriter): string {
  const parts = [renderJoin(join, outer, inner, sql)];
  if (guard !== null) parts.push(bracketed(guard, outer, sql));
  if (where.kind !== 'constant' || !where.value) parts.push(bracketed(where, inner, sql));
  return parts.join(' AND ');
}

export function renderJoin(join: RelationJoin, outer: string, inner: string, sql: SqlWriter): string {
  if (join.kind === 'direct')
    return `FROM ${q(join.targetTable)} ${inner} WHERE ${columnOf(inner, join.targetColumn)} = ${columnOf(outer, join.ownColumn)}`;
  return renderJunction(join, outer, inner, sql.alias());
}

export function renderJunction(join: JunctionJoin, outer: string, inner: string, junction: string): string {
  const referenced = `${columnOf(inner, join.targetColumn)} = ${columnOf(junction, join.junctionTargetColumn)}`;
  const joinCondition = `${columnOf(junction, join.junctionOwnColumn)} = ${columnOf(outer, join.ownColumn)}`;
  return `FROM ${q(join.junctionTable)} ${junction} JOIN ${q(join.targetTable)} ${inner} ON ${referenced} WHERE ${joinCondition}`;
}

export function bracketed(condition: Condition, alias: string, sql: SqlWriter): string {
  const text = renderCondition(condition, alias, sql);
  return condition.kind === 'any' ? `(${text})` : text;
}

function joined({ kind, of }: ConditionOf<'all' | 'any'>, alias: string, sql: SqlWriter): string {
  if (of.length === 0) return kind === 'all' ? 'TRUE' : 'FALSE';
  const parts = of.map((part) => {
    const text = renderCondition(part, alias, sql);
    return part.kind === 'all' || part.kind === 'any' ? `(${text})` : text;
  });
  return parts.join(kind === 'all' ? ' AND ' : ' OR ');
}

function renderNegation(of: Condition, alias: string, sql: SqlWriter): string {
  if (of.kind === 'sure') return `(${renderCondition(of.of, alias, sql)}) IS NOT TRUE`;
  if (of.kind === 'present') return `${renderOperand(of.of, alias, sql)} IS NULL`;
  return `NOT (${renderCondition(of, alias, sql)})`;
}

function renderComparison(condition: ConditionOf<'compare'>, alias: string, sql: SqlWriter): string {
  const left = renderOperand(condition.left, alias, sql);
  const right = renderOperand(condition.right, alias, sql);
  if (condition.comparison === 'same') return `${left} IS NOT DISTINCT FROM ${right}`;
  if (condition.comparison === 'differs') return `${left} IS DISTINCT FROM ${right}`;
  return `${left}${condition.plainOrder === true ? ' COLLATE "C"' : ''} ${condition.comparison} ${right}`;
}

function renderText({ test, left, right }: ConditionOf<'text'>, alias: string, sql: SqlWriter): string {
  const text = renderOperand(left, alias, sql);
  const part = renderOperand(right, alias, sql);
  if (test === 'startsWith') return `starts_with(${text}, ${part})`;
  if (test === 'endsWith') return `right(${text}, length(${part})) = ${part}`;
  return `strpos(${text}, ${part}) > 0`;
}

/**
 * Renders a full-text search over several columns. The index of the schema may cover more columns than the caller can read. Then the index
 * only narrows the candidates, and the readable columns decide.
 */
function renderSearch({ columns, indexed, text }: ConditionOf<'search'>, alias: string, sql: SqlWriter): string {
  const query = `websearch_to_tsquery('simple', ${sql.parameter(text, 'text')})`;
  const found = `${searched(columns, alias)} @@ ${query}`;
  if (indexed === null) return found;
  // The index condition ignores exclusions and term order, because columns that the caller cannot read must not hide records.
  const terms = `regexp_replace(querytree(${query}), ' <(-|\\d+)> ', ' & ', 'g')::tsquery`;
  const narrowed = `${searched(indexed, alias)} @@ ${terms}`;
  // For a query with exclusions only, `querytree` returns T.
  return `((querytree(${query}) = 'T' OR ${narrowed}) AND ${found})`;
}

function searched(columns: readonly string[], alias: string): string {
  return searchVector(columns.map((column) => columnOf(alias, column)));
}

export function parameters(values: ReadonlyMap<string, WrittenValue>, sql: SqlWriter): ReadonlyMap<string, string> {
  return new Map([...values].map(([column, { value, sqlType }]) => [column, sql.parameter(value, sqlType)]));
}

export function ruleOverRow(rule: Condition, columns: ReadonlyMap<string, string>, sql: SqlWriter): string {
  const row = sql.alias();
  const list = [...columns].map(([column, value]) => `${value} AS ${q(column)}`).join(', ');
  return `EXISTS (SELECT 1 FROM (SELECT ${list}) ${row} WHERE ${renderCondition(rule, row, sql)})`;
}

/** Renders the evaluation of conditions for one record: a text with `1` or `0` for each. Null counts as false. */
export function renderVerdicts(table: string, byKey: Condition, conditions: readonly Condition[]): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const verdicts = conditions.map(
    (condition) => `(CASE WHEN ${renderCondition(condition, row, sql)} THEN '1' ELSE '0' END)`,
  );
  const where = renderCondition(byKey, row, sql);
  return sql.statement(`SELECT ${verdicts.join(' || ')} AS verdicts FROM ${q(table)} ${row} WHERE ${where}`);
}
