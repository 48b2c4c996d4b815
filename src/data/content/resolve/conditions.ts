import { ownColumn, ALWAYS, type Condition, NEVER } from './resolved.types.js';
import { cachedBy } from '../../../kernel/cached-by.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

export function allOf(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition !== ALWAYS);
  if (of.includes(NEVER)) return NEVER;
  return of.length === 0 ? ALWAYS : of.length === 1 ? (of[0] as Condition) : { kind: 'all', of };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition !== NEVER);
  if (of.includes(ALWAYS)) return ALWAYS;
  return of.length === 0 ? NEVER : of.length === 1 ? (of[0] as Condition) : { kind: 'any', of };
}

/** Returns the exact complement. It is true wherever the condition is false or null. */
export function complementOf(condition: Condition): Condition {
  if (condition.kind === 'constant') return condition.value ? NEVER : ALWAYS;
  return { kind: 'not', of: isNeverUnknown(condition) ? condition : { kind: 'sure', of: condition } };
}

/** Returns true if a condition is never null. Its negation can then be rendered plainly, which the planner handles better. */
function isNeverUnknown(condition: Condition): boolean {
  if (condition.kind === 'not') return isNeverUnknown(condition.of);
  if (condition.kind === 'all' || condition.kind === 'any') return condition.of.every(isNeverUnknown);
  return ['constant', 'exists', 'present', 'sure'].includes(condition.kind);
}

export const isLive = cachedBy((schema: LinkedSchema): Condition => {
  const column = deletedAtColumn(schema);
  return column === null ? ALWAYS : { kind: 'not', of: { kind: 'present', of: ownColumn(column) } };
});

/** Returns the `deleted_at` column; null if the schema has no soft deletion. */
export function deletedAtColumn(schema: LinkedSchema): string | null {
  if (!schema.softDelete) return null;
  for (const field of Object.values(schema.fields))
    if (field.kind === 'value' && field.generated === 'deleted_at') return field.column;
  return null;
}

/** Returns the primary key field. It identifies records even if it is not readable. */
export function primaryOf(schema: LinkedSchema): LinkedValueField {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return field;
}
