import { ExpressionCompiler } from '../../schema/expressions/compile-expression.js';
import type { CompiledExpression, ExpressionAuth } from '../../schema/expressions/expression.types.js';
import { fieldType } from '../../schema/model/field-types.js';
import type { LinkedSchema } from '../../schema/model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import type { PlannedGetter, PlannedRecord } from '../plan/query-plan.types.js';
import { ruleRecordTypes } from '../resolve/compile-rule.js';
import { applyGetters, hasGetters } from './apply-getters.js';

const COMPILED = new WeakMap<LinkedSchema, Map<string, CompiledExpression>>();

/** The JSON of an answer with what is computed; the very same text where nothing is. */
export function withGetters(
  json: string,
  record: PlannedRecord,
  context: { readonly snapshot: SchemaSnapshot; readonly auth: ExpressionAuth; readonly now: Date },
): string {
  if (!hasGetters(record)) return json;
  const value: unknown = JSON.parse(json);
  applyGetters(value, record, context, (getter) => compiledGetter(getter, context.snapshot));
  return JSON.stringify(value);
}

function compiledGetter(
  { name, schema: schemaName, expression }: PlannedGetter,
  snapshot: SchemaSnapshot,
): CompiledExpression {
  const schema = snapshot.schemas[schemaName];
  const field = schema?.fields[name];
  if (schema === undefined || field === undefined) throw new TypeError(`There is no field ${schemaName}.${name}.`);
  return compiledExpression(schema, name, expression.source, fieldType(field.type).cel);
}

/** An expression of a field, compiled once for each form of its schema. Throws for one that was never checked. */
export function compiledExpression(
  schema: LinkedSchema,
  name: string,
  source: string,
  type: string,
): CompiledExpression {
  const known = COMPILED.get(schema) ?? new Map<string, CompiledExpression>();
  COMPILED.set(schema, known);
  const key = `${name}\0${source}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = type === 'dyn' ? type : `dyn<${type}>`;
  const outcome = new ExpressionCompiler({ record: ruleRecordTypes(schema), value }).compile(source);
  if (!outcome.ok) throw new TypeError(outcome.fault.message, { cause: outcome.fault.cause });
  known.set(key, outcome.expression);
  return outcome.expression;
}
