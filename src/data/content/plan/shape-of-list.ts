import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { Condition, Operand, ResolvedSort } from '../resolve/resolved.types.js';
import type { ListPlan } from './query-plan.types.js';
import type { QueryShape } from '../../model/query-shape.types.js';

interface Asked {
  readonly equal: Set<string>;
  readonly ranges: Set<string>;
}

/** Returns what a list asks of its table, for advice on indexes; null if it asks for nothing that an index could answer. */
export function shapeOfList({ id, table, system }: LinkedSchema, { where, sort }: ListPlan): QueryShape | null {
  if (system) return null;
  const asked: Asked = { equal: new Set(), ranges: new Set() };
  note(where, asked);
  const idOf = new Map(table.columns.map((column) => [column.name, column.id]));
  const ids = (names: Iterable<string>): readonly string[] =>
    [...names].map((name) => idOf.get(name)).filter((found) => found !== undefined);
  const [key = ''] = table.primaryKey.columns;
  // Whoever asks for a record by its key has found it.
  if (asked.equal.has(key)) return null;
  const equal = ids([...asked.equal].sort());
  const ranges = ids([...asked.ranges].filter((name) => !asked.equal.has(name)).sort());
  const order = ids(orderOf(sort, key, equal.length > 0 && ranges.length === 0));
  return equal.length + ranges.length + order.length === 0 ? null : { schema: id, equal, ranges, order };
}

/**
 * Returns the leading keys that go in one direction. The primary key, which ends every order, counts where it is the whole order, and
 * then only behind a value.
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

/** Notes conditions that must hold of every record that is found: of alternatives an index answers none by itself. */
function note(condition: Condition, asked: Asked): void {
  switch (condition.kind) {
    case 'all':
      for (const part of condition.of) note(part, asked);
      return;
    case 'sure':
      note(condition.of, asked);
      return;
    case 'compare':
      noteComparison(condition, asked);
      return;
    case 'among':
      add(asked.equal, condition.left);
      return;
    case 'truth':
      add(asked.equal, condition.of);
      return;
    default:
  }
}

function noteComparison(condition: Extract<Condition, { readonly kind: 'compare' }>, { equal, ranges }: Asked): void {
  const { comparison, left, right, plainOrder } = condition;
  if (comparison === 'differs' || (left.kind === 'value') === (right.kind === 'value')) return;
  const isEqual = comparison === '=' || comparison === 'same';
  // An index has the order of its column, and not that of code points.
  if (!isEqual && plainOrder === true) return;
  add(isEqual ? equal : ranges, left.kind === 'value' ? right : left);
}

function add(columns: Set<string>, operand: Operand): void {
  const name = columnOf(operand);
  if (name !== null) columns.add(name);
}

/**
 * Returns the column of a field. A column that not everyone may see of every record is looked at through a condition, which no index
 * has.
 */
function columnOf(operand: Operand): string | null {
  return operand.kind === 'column' && operand.guard === null ? operand.column : null;
}
