import { parseJson, stringifyJson } from '../../../kernel/text/json-numbers.js';
import type { CompiledExpression, ExpressionAuth, ExpressionInputs } from '../../expressions/expression.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { type PlannedGetter, type PlannedRecord, FOR_GETTERS } from '../plan/query-plan.types.js';
import { compiledExpression } from '../resolve/field-expressions.js';

/** Returns the JSON of an answer with what is computed; the very same text where nothing is. */
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

type JsonRecord = Record<string, unknown>;

/** Compiles the expression of a getter; what it cannot compile is a fault of ours. */
type GetterCompiler = (getter: PlannedGetter) => CompiledExpression;

/** Returns whether an answer has to be parsed at all: only if something in it is computed. */
function hasGetters(record: PlannedRecord): boolean {
  return record.getters.length > 0 || record.relations.some((relation) => hasGetters(relation.record));
}

/** Fills in what is computed, in place, at every level of an answer. A getter that fails answers null. */
export function applyGetters(
  value: unknown,
  plan: PlannedRecord,
  inputs: { readonly auth: ExpressionAuth; readonly now: Date },
  compile: GetterCompiler,
): void {
  if (Array.isArray(value)) {
    for (const entry of value) applyGetters(entry, plan, inputs, compile);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const answer = value as JsonRecord;
  for (const { name, record } of plan.relations) applyGetters(answer[name], record, inputs, compile);
  const raw: JsonRecord = {};
  for (const { name } of plan.columns.filter((column) => column.name.startsWith(FOR_GETTERS))) {
    raw[name.slice(FOR_GETTERS.length)] = answer[name];
    delete answer[name];
  }
  for (const getter of plan.getters) {
    const before = answer[getter.name];
    answer[getter.name] = evaluate(compile(getter), { value: before, record: raw, ...inputs });
  }
}

function evaluate(expression: CompiledExpression, inputs: ExpressionInputs): unknown {
  try {
    return expression.evaluate(inputs);
  } catch {
    return null;
  }
}
