import { ExpressionCompiler } from '../../schema/expressions/compile-expression.js';
import type { CompiledExpression } from '../../schema/expressions/expression.types.js';
import type { LinkedSchema } from '../../schema/model/schema-model.types.js';
import { ruleRecordTypes } from './compile-rule.js';

const COMPILED = new WeakMap<LinkedSchema, Map<string, CompiledExpression>>();

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
