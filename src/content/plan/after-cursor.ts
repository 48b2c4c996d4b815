import { allOf, anyOf } from '../resolve/conditions.js';
import { type Condition, NEVER, type Operand, type ResolvedSort } from '../resolve/resolved.types.js';
import type { LateValue } from '../resolve/late-value.js';
import { comparedAs } from '../resolve/sql-value.js';

/** The records after the one with these keys, in this order. Empty values stand last going up and first going down. */
export function afterCursor(sort: readonly ResolvedSort[], keys: readonly (string | LateValue | null)[]): Condition {
  const alternatives = sort.map((key, index) => {
    const before = sort.slice(0, index).map((earlier, at) => isAt(earlier, keys[at] ?? null));
    return allOf([...before, isBeyond(key, keys[index] ?? null)]);
  });
  return anyOf(alternatives);
}

function isAt({ operand, type }: ResolvedSort, key: string | LateValue | null): Condition {
  if (key === null) return { kind: 'not', of: { kind: 'present', of: operand } };
  return { kind: 'compare', comparison: '=', left: operand, right: value(key, type) };
}

function isBeyond({ operand, type, descending, nullable }: ResolvedSort, key: string | LateValue | null): Condition {
  const present: Condition = { kind: 'present', of: operand };
  if (key === null) return descending ? present : NEVER;
  const right = value(key, type);
  const beyond: Condition = { kind: 'compare', comparison: descending ? '<' : '>', left: operand, right };
  return descending || !nullable ? beyond : anyOf([beyond, { kind: 'not', of: present }]);
}

function value(key: string | LateValue, type: ResolvedSort['type']): Operand {
  return { kind: 'value', value: key, sqlType: comparedAs(type) };
}
