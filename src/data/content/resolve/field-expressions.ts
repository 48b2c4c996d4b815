import { ExpressionCompiler, linkedExpressionTypes } from '../../expressions/expressions.public.js';
import type { CompiledExpression } from '../../expressions/expression.types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

const COMPILED = new WeakMap<LinkedSchema, Map<string, CompiledExpression>>();

/**
 * Returns an expression of a field, compiled once for each form of its schema.
 *
 * @throws TypeError for one that was never checked.
 */
export function compiledExpression(schema: LinkedSchema, field: LinkedValueField, source: string): CompiledExpression {
  const known = COMPILED.get(schema) ?? new Map<string, CompiledExpression>();
  COMPILED.set(schema, known);
  const key = `${field.name}\0${source}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const outcome = new ExpressionCompiler(linkedExpressionTypes(schema, field)).compile(source);
  if (!outcome.ok) throw new TypeError(outcome.fault.message, { cause: outcome.fault.cause });
  known.set(key, outcome.expression);
  return outcome.expression;
}
