import { parseJson, stringifyJson } from '../../../kernel/json-numbers.js';
import type { CompiledExpression, ExpressionAuth } from '../../expressions/expression.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import type { PlannedGetter, PlannedRecord } from '../plan/query-plan.types.js';
import { compiledExpression } from '../resolve/field-expressions.js';
import { applyGetters, hasGetters } from './apply-getters.js';

/** The JSON of an answer with what is computed; the very same text where nothing is. */
export function withGetters(
  json: string,
  record: PlannedRecord,
  context: { readonly snapshot: SchemaSnapshot; readonly auth: ExpressionAuth; readonly now: Date },
): string {
  if (!hasGetters(record)) return json;
  const value = parseJson(json);
  applyGetters(value, record, context, (getter) => compiledGetter(getter, context.snapshot));
  return stringifyJson(value);
}

function compiledGetter(
  { name, schema: schemaName, expression }: PlannedGetter,
  snapshot: SchemaSnapshot,
): CompiledExpression {
  const schema = snapshot.schemas[schemaName];
  const field = schema?.fields[name];
  if (schema === undefined || field?.kind !== 'value') throw new TypeError(`There is no field ${schemaName}.${name}.`);
  return compiledExpression(schema, field, expression.source);
}
