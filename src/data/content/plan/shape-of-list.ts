import type { LinkedSchema, QueryShape } from '../../model/schema-model.types.js';
import type { Condition, Operand, ResolvedSort } from '../resolve/conditions.js';
import type { ListPlan } from './query-plan.types.js';

interface IndexableConditions {
  readonly equal: Set<string>;
  readonly ranges: Set<string>;
}

/** Returns the query shape for index advice; null if no index could help. */
export function shapeOfList({ id, table, system }: LinkedSchema, { where, sort }: ListPlan): QueryShape | null {
  if (system) return null;
  const conditions: IndexableConditions = { equal: new Set(), ranges: new Set() };
  note(where, conditions);
  const idOf = new Map(table.columns.map((column) => [column.name, column.id]));
  const ids = (names: Iterable<string>): readonly string[] =>
    [...names].map((name) => idOf.get(name)).filter((found) => found !== undefined);
  const [key = ''] = table.primaryKey.columns;
  // A query by primary key already has an index.
  if (conditions.equal.has(key)) return null;
  const equal = ids([...conditions.equal].sort());
  const ranges = ids([...conditions.ranges].filter((name) => !conditions.equal.has(name)).sort());
  const order = ids(orderOf(sort, key, equal.length > 0 && ranges.length === 0));
  return equal.length + ranges.length + order.length === 0 ? null : { schema: id, equal, ranges, order };
}

/**
 * Returns the leading sort keys with the same direction. The primary key, which ends every order, counts only if it is the whole order, and
 * only after an equality condition.
 */
function orderOf(sort: readonly ResolvedSort[], key: string, isKeyOfUse: boolean): readonly string[] {
  const names: string[] = [];
  for (const { operand, descending } of sort) {
    const name = columnOf(operand);
    if (name === null || descending !== sort[0]?.descending) break;
    names.push(name);
    if (name === key) break;
  }
  if (names[0] === key) return isKeyOfUse ? [key] : [];
  return names.filter((name) => name !== key);
}

/** Collects the conditions that every result must meet. Alternatives are skipped, because an index serves none of them alone. */
function note(condition: Condition, conditions: IndexableConditions): void {
  switch (condition.kind) {
    case 'all':
      for (const part of condition.of) note(part, conditions);
      return;
    case 'sure':
      note(condition.of, conditions);
      return;
    case 'compare':
      noteComparison(condition, conditions);
      return;
    case 'among':
      add(conditions.equal, condition.left);
      return;
    case 'truth':
      add(conditions.equal, condition.of);
      return;
    default:
  }
}

function noteComparison(
  condition: Extract<Condition, { readonly kind: 'compare' }>,
  { equal, ranges }: IndexableConditions,
): void {
  const { comparison, left, right, plainOrder } = condition;
  if (comparison === 'differs' || (left.kind === 'value') === (right.kind === 'value')) return;
  const isEqual = comparison === '=' || comparison === 'same';
  // An index uses the collation of its column, not code point order.
  if (!isEqual && plainOrder === true) return;
  add(isEqual ? equal : ranges, left.kind === 'value' ? right : left);
}

function add(columns: Set<string>, operand: Operand): void {
  const name = columnOf(operand);
  if (name !== null) columns.add(name);
}

/** Returns the column of a field. A column with a guard is read through a condition that no index contains. */
function columnOf(operand: Operand): string | null {
  return operand.kind === 'column' && operand.guard === null ? operand.column : null;
}
