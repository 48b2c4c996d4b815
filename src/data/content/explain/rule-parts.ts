import type { ExpressionNode } from '../../expressions/expression.types.js';

export interface RulePart {
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
