import { fieldType, type FieldType } from '../model/field-types.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from '../model/schema-model.types.js';
import type { ExpressionTypes } from './expression.types.js';

/** What of a field decides on its type in expressions. */
export interface ExpressionField {
  readonly name: string;
  readonly type: FieldType;
  /** True if it may be empty: an optional field, or one that the service fills when the record is stored. */
  readonly nullable: boolean;
}

/**
 * Returns the variables of expressions over records with these fields: `record` with a member a field, and `value` for the
 * setter or getter of a field; rules have none. It is the only place that knows types in CEL, so that what was checked
 * when a schema or a permission was saved compiles when it is used. Fields that may be empty are `dyn<…>`, which takes `null`.
 */
export function expressionTypes(fields: readonly ExpressionField[], value?: ExpressionField): ExpressionTypes {
  const record = Object.fromEntries(fields.map((field) => [field.name, variableType(field)]));
  return { record, ...(value ? { value: variableType(value) } : {}) };
}

/** Returns the variables of expressions over records of a linked schema. */
export function linkedExpressionTypes(schema: LinkedSchema, value?: LinkedValueField): ExpressionTypes {
  const readable = Object.values(schema.fields).filter(({ hidden }) => !hidden);
  return expressionTypes(readable.map(linkedField), value && linkedField(value));
}

function variableType({ type, nullable }: ExpressionField): string {
  const { cel } = fieldType(type);
  return cel !== 'dyn' && nullable ? `dyn<${cel}>` : cel;
}

function linkedField(field: LinkedField): ExpressionField {
  const isGenerated = field.kind === 'value' && field.generated !== undefined;
  return { name: field.name, type: field.type, nullable: field.optional || isGenerated };
}
