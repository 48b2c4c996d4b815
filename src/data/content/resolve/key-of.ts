import { primaryOf } from './conditions.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { comparedAs } from './sql-value.js';
import { type Condition, ownColumn } from './resolved.types.js';
import type { KeyColumn, RecordRef, RecordWrite } from './writes/write.types.js';

export function keyOf(schema: LinkedSchema): KeyColumn {
  const { column, type } = primaryOf(schema);
  return { column, sqlType: comparedAs(type) };
}

/** Returns a column that foreign keys may refer to: the primary key or another unique column. */
export function columnKey(schema: LinkedSchema, column: string): KeyColumn {
  const key = keyOf(schema);
  if (column === key.column) return key;
  const field = Object.values(schema.fields).find((entry) => entry.kind === 'value' && entry.column === column);
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no column ${column}.`);
  return { column, sqlType: comparedAs(field.type) };
}

export function hasKeyAmong(schema: LinkedSchema, values: readonly unknown[]): Condition {
  const { column, sqlType } = keyOf(schema);
  return { kind: 'among', left: ownColumn(column), values, sqlType };
}

export function newOf(refs: readonly (RecordRef | null)[]): readonly RecordWrite[] {
  return refs.flatMap((ref) => (ref?.kind === 'new' ? [ref.write] : []));
}

/** Returns the new records that a write nests directly. */
export function nestedWrites({ references, links }: RecordWrite): readonly RecordWrite[] {
  return newOf([...references.map(({ ref }) => ref), ...links.flatMap(({ add }) => add)]);
}

/** Returns the keys of existing records. */
export function keysOf(refs: readonly (RecordRef | null)[]): readonly unknown[] {
  return refs.flatMap((ref) => (ref?.kind === 'id' ? [ref.value] : []));
}

/**
 * Returns the keys of all referenced records, in order. Null for no record.
 *
 * @param created keys of the new records, in order.
 */
export function keysInOrder(refs: readonly (RecordRef | null)[], created: Iterator<string>): readonly unknown[] {
  return refs.map((ref) => (ref?.kind === 'new' ? (created.next().value as unknown) : (ref?.value ?? null)));
}
