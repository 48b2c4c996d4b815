import { isStorable } from '../../../kernel/text/storable-text.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { type Condition, ownColumn } from './conditions.js';
import { Placeholder } from './placeholder.js';
import { comparedAs, filterValue } from './sql-values.js';

export interface KeyColumn {
  readonly column: string;
  readonly sqlType: string;
}

/** Returns the primary key field. It identifies records even if it is not readable. */
export function primaryOf(schema: LinkedSchema): LinkedValueField {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return field;
}

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

export function hasKey(schema: LinkedSchema, id: string | Placeholder): Condition | null {
  const primary = primaryOf(schema);
  const value = id instanceof Placeholder ? id : keyValue(id, primary.type);
  if (value === undefined) return null;
  return {
    kind: 'compare',
    comparison: '=',
    left: ownColumn(primary.column),
    right: { kind: 'value', value, sqlType: comparedAs(primary.type) },
  };
}

export function keyValue(id: string, type: FieldType): unknown {
  return isStorable(id) ? filterValue(id, type) : undefined;
}

export function keyText(value: unknown, { type }: LinkedValueField): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const key = keyValue(String(value), type);
  return typeof key === 'string' ? key : undefined;
}
