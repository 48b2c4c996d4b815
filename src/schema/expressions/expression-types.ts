import { fieldType } from '../model/field-types.js';
import type { LinkedSchema, LinkedValueField } from '../model/schema-model.types.js';
import type { ExpressionTypes } from './expression.types.js';

/**
 * The variables of expressions over records of a linked schema: `record` with every field that can be read, and `value`
 * for the setter or getter of a field; rules have none. Fields that may be empty are `dyn<…>`, which takes `null`.
 */
export function expressionTypes(schema: LinkedSchema, field?: LinkedValueField): ExpressionTypes {
  const readable = Object.values(schema.fields).filter((candidate) => !candidate.hidden);
  const record = readable.map((candidate): [string, string] => {
    return [candidate.name, candidate.kind === 'value' ? variableType(candidate) : 'dyn'];
  });
  return { record: Object.fromEntries(record), ...(field ? { value: variableType(field) } : {}) };
}

function variableType({ type, optional, origin }: LinkedValueField): string {
  const { cel } = fieldType(type);
  // Automatic fields are empty before the record is stored.
  return cel !== 'dyn' && (optional || origin === 'automatic') ? `dyn<${cel}>` : cel;
}
