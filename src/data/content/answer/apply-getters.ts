import {
  type CompiledExpression,
  type ExpressionAuth,
  type ExpressionInputs,
} from '../../expressions/expression.types.js';
import { FOR_GETTERS, type PlannedGetter, type PlannedRecord } from '../plan/query-plan.types.js';

type JsonRecord = Record<string, unknown>;

/** Compiles the expression of a getter; what it cannot compile is a fault of ours. */
export type GetterCompiler = (getter: PlannedGetter) => CompiledExpression;

/** Whether an answer has to be parsed at all: only where something in it is computed. */
export function hasGetters(record: PlannedRecord): boolean {
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
