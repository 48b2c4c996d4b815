import { parseJson, stringifyJson } from '../../../kernel/text/json.js';
import type { CompiledExpression, ExpressionAuth, ExpressionInputs } from '../../expressions/expression.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { type PlannedGetter, type PlannedRecord, FOR_GETTERS } from '../plan/query-plan.types.js';
import { compiledExpression } from '../resolve/field-expressions.js';

/** Adds computed fields to the JSON of a response. Returns the same text if the record has no getters. */
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
  if (schema === undefined || field?.kind !== 'value')
    throw new TypeError(`The field ${schemaName}.${name} does not exist.`);
  return compiledExpression(schema, field, expression.source);
}

type JsonRecord = Record<string, unknown>;

type GetterCompiler = (getter: PlannedGetter) => CompiledExpression;

function hasGetters(record: PlannedRecord): boolean {
  return record.getters.length > 0 || record.relations.some((relation) => hasGetters(relation.record));
}

/** Computes getters in place, at every level of the response. A getter that fails yields null. */
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
