import { memoize } from '../../../../kernel/memoize.js';
import {
  bareType,
  childrenOf,
  ExpressionCompiler,
  linkedExpressionTypes,
} from '../../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionNode, ExpressionTypes } from '../../../expressions/expression.types.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { RuleRefused } from './rule-terms.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import { translateRule } from './translate-rule.js';

const rulesBySource = memoize((_schema: LinkedSchema) => new Map<string, ExpressionNode | RuleRefused>());
/** Maximum cached rules per schema. @internal */
const MAX_RULES = 1_000;

/** Returns the tree of a rule. Throws {@link RuleRefused} if it does not compile or is not boolean. */
export function compileRule(schema: LinkedSchema, source: string): ExpressionNode {
  const rules = rulesBySource(schema);
  const cached = rules.get(source) ?? orRefusal(() => compileDraft(schema, source));
  if (rules.size < MAX_RULES) rules.set(source, cached);
  if (cached instanceof RuleRefused) throw cached;
  return cached;
}

function compileDraft(schema: LinkedSchema, source: string): ExpressionNode {
  return conditionOf(source, linkedExpressionTypes(schema)).tree;
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

/**
 * Returns the error of a rule with its position, or null. A rule must compile and translate for the schema of its resource. For several
 * schemas (`content.*`) or an unknown schema it must only compile, and each schema checks it later. For any other resource there is no
 * record, so a rule may use only `auth` and `now`.
 *
 * @param snapshot null if the schemas are not known.
 * @param schemaVersion version at which the rule was saved; the current one by default.
 */
export function ruleFault(
  snapshot: SchemaSnapshot | null,
  resource: string,
  rule: string,
  schemaVersion = snapshot?.version ?? 0,
): string | null {
  const refusal = orRefusal(() => checkRule({ snapshot, schemaVersion, compile: compileRule }, resource, rule));
  return refusal && `${refusal.message} (characters ${refusal.range.start} to ${refusal.range.end})`;
}

/** Returns the error of an unsaved rule, or null. Uses the schemas in force and does not cache the rule. */
export function draftRefusal(snapshot: SchemaSnapshot, resource: string, rule: string): RuleRefused | null {
  const judging = { snapshot, schemaVersion: snapshot.version, compile: compileDraft };
  return orRefusal(() => checkRule(judging, resource, rule));
}

/** Returns the error of a rule instead of throwing it. */
export function orRefusal<T>(work: () => T): T | RuleRefused {
  try {
    return work();
  } catch (error) {
    if (error instanceof RuleRefused) return error;
    throw error;
  }
}

interface RuleCheck {
  readonly snapshot: SchemaSnapshot | null;
  readonly schemaVersion: number;
  readonly compile: typeof compileRule;
}

function checkRule({ snapshot, schemaVersion, compile }: RuleCheck, resource: string, rule: string): null {
  const [area, name = ''] = resource.split('.');
  const schema = snapshot?.schemas[name];
  const auth = { id: '00000000-0000-7000-8000-000000000000', email: '', username: '', roles: [] };
  if (area !== 'content' && area !== '*') compileRouteRule(rule);
  else if (snapshot === null || schema === undefined) conditionOf(rule, { record: null });
  else translateRule(compile(schema, rule), { snapshot, schema, auth, now: new Date(0), schemaVersion });
  return null;
}
