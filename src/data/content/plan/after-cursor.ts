import { allOf, anyOf } from '../resolve/conditions.js';
import { type Condition, NEVER, type Operand, type ResolvedSort } from '../resolve/resolved.types.js';
import type { Placeholder } from '../resolve/placeholder.js';
import { comparedAs } from '../resolve/sql-value.js';

/** The records after the one with these keys, in this order. Empty values stand last going up and first going down. */
export function afterCursor(sort: readonly ResolvedSort[], keys: readonly (string | Placeholder | null)[]): Condition {
  const alternatives = sort.map((key, index) => {
    const before = sort.slice(0, index).map((earlier, at) => isAt(earlier, keys[at] ?? null));
    return allOf([...before, isBeyond(key, keys[index] ?? null)]);
  });
  return allOf([...firstBound(sort, keys), anyOf(alternatives)]);
}

/** What every alternative says of the first key: said once more, an index begins there rather than at the first record. */
function firstBound(
  sort: readonly ResolvedSort[],
  [key = null]: readonly (string | Placeholder | null)[],
): Condition[] {
  const [first] = sort;
  if (first === undefined || sort.length === 1 || key === null) return [];
  const { operand, type, descending, nullable } = first;
  // Going up, empty values are still to come.
  if (!descending && nullable) return [];
  return [{ kind: 'compare', comparison: descending ? '<=' : '>=', left: operand, right: value(key, type) }];
}

function isAt({ operand, type }: ResolvedSort, key: string | Placeholder | null): Condition {
  if (key === null) return { kind: 'not', of: { kind: 'present', of: operand } };
  return { kind: 'compare', comparison: '=', left: operand, right: value(key, type) };
}

function isBeyond({ operand, type, descending, nullable }: ResolvedSort, key: string | Placeholder | null): Condition {
  const present: Condition = { kind: 'present', of: operand };
  if (key === null) return descending ? present : NEVER;
  const right = value(key, type);
  const beyond: Condition = { kind: 'compare', comparison: descending ? '<' : '>', left: operand, right };
  return descending || !nullable ? beyond : anyOf([beyond, { kind: 'not', of: present }]);
}

function value(key: string | Placeholder, type: ResolvedSort['type']): Operand {
  return { kind: 'value', value: key, sqlType: comparedAs(type) };
}
