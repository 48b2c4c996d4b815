import { namedSchema } from '../resolve/content-access.js';
import type { ExpressionNode, TextRange } from '../../expressions/expression.types.js';
import { reusedAt } from '../../schema/schema.public.js';
import { compileRule } from '../resolve/rules/compile-rule.js';
import type { Condition } from '../resolve/conditions.js';
import { type RuleContext, RuleRefused } from '../resolve/rules/rule-terms.js';
import { translateRule } from '../resolve/rules/translate-rule.js';
import type { ExplainedPart } from './explanation.dto.js';

export interface GrantedPermission {
  readonly id: string;
  readonly role: string;
  readonly resource: string;
  readonly value: string;
  readonly fields: { readonly read?: readonly string[]; readonly write?: readonly string[] } | null;
  readonly schemaVersion: number;
}

export interface ParsedRule {
  readonly source: string;
  readonly root: RulePart;
  readonly conditions: ReadonlyMap<RulePart, Condition>;
}

/** A permission with its parsed rule, or with the reason why it has no effect. Both are null for `allow` and `deny`. */
export type ParsedPermission = GrantedPermission & { readonly fault: string | null; readonly rule: ParsedRule | null };

export function parsePermission(
  permission: GrantedPermission,
  inputs: Omit<RuleContext, 'schemaVersion'>,
): ParsedPermission {
  const { value, schemaVersion, resource } = permission;
  const nothing = (fault: string): ParsedPermission => ({ ...permission, fault, rule: null });
  if (value === 'deny') return { ...permission, fault: null, rule: null };
  const name = namedSchema({ resource });
  if (schemaVersion < reusedAt(inputs.snapshot.history, name))
    return nothing(`The schema ${name} was replaced since the rule was saved.`);
  if (value === 'allow') return { ...permission, fault: null, rule: null };
  try {
    const tree = compileRule(inputs.schema, value);
    const context: RuleContext = { ...inputs, schemaVersion };
    const root = rulePart(tree);
    const conditions = new Map(allParts(root).map((part) => [part, translateRule(part.node, context)]));
    return { ...permission, fault: null, rule: { source: value, root, conditions } };
  } catch (error) {
    if (error instanceof RuleRefused) return nothing(error.message);
    if (error instanceof RangeError) return nothing('It is too long to be evaluated.');
    throw error;
  }
}

export function explainRule(
  { source, root, conditions }: ParsedRule,
  verdictOf: (condition: Condition) => boolean | null,
): ExplainedPart {
  const show = (part: RulePart): ExplainedPart => {
    const { start, end } = closedRange(source, part.node.range);
    const condition = conditions.get(part);
    const holds = condition === undefined ? null : verdictOf(condition);
    return { kind: part.kind, text: source.slice(start, end), start, end, holds, parts: part.parts.map(show) };
  };
  return show(root);
}

/** Extends a range to include its closing brackets. Node ranges of the expression tree do not include them. */
function closedRange(source: string, { start, end }: TextRange): TextRange {
  const text = source.slice(start, end).replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '');
  let open = [...text].reduce((depth, char) => depth + (char === '(' ? 1 : char === ')' ? -1 : 0), 0);
  let last = end;
  while (open > 0 && /[\s)]/.test(source[last] ?? '')) {
    if (source[last] === ')') open -= 1;
    last += 1;
  }
  return { start, end: open === 0 ? last : end };
}

interface RulePart {
  readonly kind: 'all' | 'any' | 'condition';
  readonly node: ExpressionNode;
  readonly parts: readonly RulePart[];
}

const OPERATORS: Readonly<Record<string, 'all' | 'any'>> = { '&&': 'all', '||': 'any' };

/** Splits a rule at `&&` and `||`. A chain of one operator becomes one flat group. */
export function rulePart(node: ExpressionNode): RulePart {
  const kind = node.kind === 'call' && node.receiver === undefined ? OPERATORS[node.callee] : undefined;
  if (kind === undefined || node.kind !== 'call') return { kind: 'condition', node, parts: [] };
  const parts = node.args.map(rulePart).flatMap((part) => (part.kind === kind ? part.parts : [part]));
  return { kind, node, parts };
}

export function allParts(part: RulePart): readonly RulePart[] {
  return [part, ...part.parts.flatMap(allParts)];
}
