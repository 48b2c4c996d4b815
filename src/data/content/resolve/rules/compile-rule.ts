import {
  bareType,
  childrenOf,
  ExpressionCompiler,
  linkedExpressionTypes,
} from '../../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionNode, ExpressionTypes } from '../../../expressions/expression.types.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { RuleRefused } from './rule-terms.js';

/** A rule that was compiled, or why it was not; both are kept as long as the schema. */
const COMPILED = new WeakMap<LinkedSchema, Map<string, ExpressionNode | RuleRefused>>();
/** Rules that are kept of one schema. @internal */
const MOST_RULES = 1_000;

/** Returns the tree of a rule over the records of a schema. Throws {@link RuleRefused} for what is no expression or no condition. */
export function compileRule(schema: LinkedSchema, source: string): ExpressionNode {
  const rules = COMPILED.get(schema) ?? new Map<string, ExpressionNode | RuleRefused>();
  COMPILED.set(schema, rules);
  const known = rules.get(source) ?? compile(schema, source);
  if (rules.size < MOST_RULES) rules.set(source, known);
  if (known instanceof RuleRefused) throw known;
  return known;
}

/** Returns the same for a text that nobody saved: it takes no place of the rules that requests are judged by. */
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

/** Compiles a text to what is true or false. Throws {@link RuleRefused} for anything else. */
export function conditionOf(source: string, types: ExpressionTypes): CompiledExpression {
  const outcome = new ExpressionCompiler(types).compile(source);
  if (!outcome.ok) throw new RuleRefused(outcome.fault.message, outcome.fault.range);
  const { resultType } = outcome.expression;
  if (['bool', 'dyn'].includes(bareType(resultType))) return outcome.expression;
  throw new RuleRefused(`a rule is true or false, not ${resultType}`, { start: 0, end: source.length });
}

/** Compiles a rule about a resource that has no records: over who asks, and when. Throws {@link RuleRefused}. */
export function compileRouteRule(source: string): CompiledExpression {
  const expression = conditionOf(source, { record: {} });
  refuseHas(expression.tree);
  return expression;
}

/** Refuses `has` over relations. `has` is not checked by types: it would ask of a record that is not there, and its negation would hold. */
function refuseHas(node: ExpressionNode): void {
  if (node.kind === 'call' && node.callee === 'has')
    throw new RuleRefused('has asks for a field of a record, and there is none', node.range);
  for (const child of childrenOf(node)) refuseHas(child);
}
