import type { ExpressionNode } from '../../expressions/expression.types.js';

/** A part of a rule: one that is judged as a whole, or several of which all, or any, must hold. */
export interface RulePart {
  readonly kind: 'all' | 'any' | 'condition';
  readonly node: ExpressionNode;
  readonly parts: readonly RulePart[];
}

const OPERATORS: Readonly<Record<string, 'all' | 'any'>> = { '&&': 'all', '||': 'any' };

/** Takes a rule apart at `&&` and `||`; a chain of one of them has its parts side by side. */
export function rulePart(node: ExpressionNode): RulePart {
  const kind = node.kind === 'call' && node.receiver === undefined ? OPERATORS[node.callee] : undefined;
  if (kind === undefined || node.kind !== 'call') return { kind: 'condition', node, parts: [] };
  const parts = node.args.map(rulePart).flatMap((part) => (part.kind === kind ? part.parts : [part]));
  return { kind, node, parts };
}

/** Returns the parts of a rule, each before those that it is made of. */
export function allParts(part: RulePart): readonly RulePart[] {
  return [part, ...part.parts.flatMap(allParts)];
}
