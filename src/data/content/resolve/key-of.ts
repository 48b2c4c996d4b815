import type { LinkedSchema } from '../../model/schema-model.types.js';
import { comparedAs } from './sql-value.js';
import type { Condition } from './resolved.types.js';
import type { KeyColumn, RecordRef, RecordWrite } from './writes/write.types.js';

export function keyOf(schema: LinkedSchema): KeyColumn {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return { column: field.column, sqlType: comparedAs(field.type) };
}

export function hasKeyAmong(schema: LinkedSchema, values: readonly unknown[]): Condition {
  const { column, sqlType } = keyOf(schema);
  return { kind: 'among', left: { kind: 'column', column, guard: null }, values, sqlType };
}

export function newOf(refs: readonly (RecordRef | null)[]): readonly RecordWrite[] {
  return refs.flatMap((ref) => (ref?.kind === 'new' ? [ref.write] : []));
}

/** Returns the keys of existing records. */
export function keysOf(refs: readonly (RecordRef | null)[]): readonly unknown[] {
  return refs.flatMap((ref) => (ref?.kind === 'id' ? [ref.value] : []));
}
