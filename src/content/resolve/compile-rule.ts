import { ExpressionCompiler } from '../../schema/expressions/compile-expression.js';
import { linkedExpressionTypes } from '../../schema/expressions/expression-types.js';
import { bareType } from '../../schema/expressions/expression-values.js';
import type { ExpressionNode } from '../../schema/expressions/expression.types.js';
import type { LinkedSchema } from '../../schema/model/schema-model.types.js';
import { RuleRefused } from './rule-terms.js';

/** A rule that was compiled, or why it was not; both are kept as long as the schema. */
const COMPILED = new WeakMap<LinkedSchema, Map<string, ExpressionNode | RuleRefused>>();
/** Rules that are kept of one schema. */
const MOST_RULES = 1_000;

/** The tree of a rule over the records of a schema. Throws {@link RuleRefused} for what is no expression or no condition. */
export function compileRule(schema: LinkedSchema, source: string): ExpressionNode {
  const rules = COMPILED.get(schema) ?? new Map<string, ExpressionNode | RuleRefused>();
  COMPILED.set(schema, rules);
  const known = rules.get(source) ?? compile(schema, source);
  if (rules.size < MOST_RULES) rules.set(source, known);
  if (known instanceof RuleRefused) throw known;
  return known;
}

function compile(schema: LinkedSchema, source: string): ExpressionNode | RuleRefused {
  const outcome = new ExpressionCompiler(linkedExpressionTypes(schema)).compile(source);
  if (!outcome.ok) return new RuleRefused(outcome.fault.message, outcome.fault.range);
  const { tree, resultType } = outcome.expression;
  if (['bool', 'dyn'].includes(bareType(resultType))) return tree;
  return new RuleRefused(`a rule is true or false, not ${resultType}`, { start: 0, end: source.length });
}
