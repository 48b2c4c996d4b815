import { cachedBy } from '../../../../kernel/cached-by.js';
import {
  bareType,
  childrenOf,
  ExpressionCompiler,
  linkedExpressionTypes,
} from '../../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionNode, ExpressionTypes } from '../../../expressions/expression.types.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { RuleRefused } from './rule-terms.js';

const rulesBySource = cachedBy((_schema: LinkedSchema) => new Map<string, ExpressionNode | RuleRefused>());
/** Maximum cached rules per schema. @internal */
const MAX_RULES = 1_000;

/** Returns the tree of a rule. Throws {@link RuleRefused} if it does not compile or is not boolean. */
export function compileRule(schema: LinkedSchema, source: string): ExpressionNode {
  const rules = rulesBySource(schema);
  const cached = rules.get(source) ?? compile(schema, source);
  if (rules.size < MAX_RULES) rules.set(source, cached);
  if (cached instanceof RuleRefused) throw cached;
  return cached;
}

export function compileDraft(schema: LinkedSchema, source: string): ExpressionNode {
  return conditionOf(source, linkedExpressionTypes(schema)).tree;
}

function compile(schema: LinkedSchema, source: string): ExpressionNode | RuleRefused {
  try {
    return compileDraft(schema, source);
  } catch (error) {
    if (error instanceof RuleRefused) return error;
    throw error;
  }
}

/** Compiles a boolean expression. Throws {@link RuleRefused} for any other. */
export function conditionOf(source: string, types: ExpressionTypes): CompiledExpression {
  const outcome = new ExpressionCompiler(types).compile(source);
  if (!outcome.ok) throw new RuleRefused(outcome.fault.message, outcome.fault.range);
  const { resultType } = outcome.expression;
  if (['bool', 'dyn'].includes(bareType(resultType))) return outcome.expression;
  throw new RuleRefused(`a rule must be true or false, not ${resultType}`, { start: 0, end: source.length });
}

/** Compiles a rule for a resource without records. It may use only `auth` and `now`. Throws {@link RuleRefused}. */
export function compileRouteRule(source: string): CompiledExpression {
  const expression = conditionOf(source, { record: {} });
  refuseHas(expression.tree);
  return expression;
}

/** Rejects `has`, which the type check does not cover. Without a record it would fail, and its negation would be true. */
function refuseHas(node: ExpressionNode): void {
  if (node.kind === 'call' && node.callee === 'has')
    throw new RuleRefused('has() requires a field of a record', node.range);
  for (const child of childrenOf(node)) refuseHas(child);
}
