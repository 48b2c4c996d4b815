import type { TextRange } from '../../expressions/expression.types.js';
import { retakenAt } from '../../schema/schema.public.js';
import { compileRule } from '../resolve/rules/compile-rule.js';
import type { Condition } from '../resolve/resolved.types.js';
import { type RuleContext, RuleRefused } from '../resolve/rules/rule-terms.js';
import { translateRule } from '../resolve/rules/translate-rule.js';
import type { ExplainedPart } from './explanation.dto.js';
import { allParts, type RulePart, rulePart } from './rule-parts.js';

export interface HeldPermission {
  readonly id: string;
  readonly role: string;
  readonly resource: string;
  readonly value: string;
  readonly fields: { readonly read?: readonly string[]; readonly write?: readonly string[] } | null;
  readonly schemaVersion: number;
}

export interface TakenRule {
  readonly source: string;
  readonly whole: RulePart;
  readonly conditions: ReadonlyMap<RulePart, Condition>;
}

/** A permission with its parsed rule, or with the reason why it has no effect. Both are null for `allow` and `deny`. */
export type TakenPermission = HeldPermission & { readonly fault: string | null; readonly rule: TakenRule | null };

export function takePermission(
  permission: HeldPermission,
  inputs: Omit<RuleContext, 'schemaVersion'>,
): TakenPermission {
  const { value, schemaVersion, resource } = permission;
  const nothing = (fault: string): TakenPermission => ({ ...permission, fault, rule: null });
  if (value === 'deny') return { ...permission, fault: null, rule: null };
  const [, name = ''] = resource.split('.');
  if (schemaVersion < retakenAt(inputs.snapshot.history, name === '*' ? '' : name))
    return nothing(`The schema ${name} is another one than when it was saved.`);
  if (value === 'allow') return { ...permission, fault: null, rule: null };
  try {
    const tree = compileRule(inputs.schema, value);
    const context: RuleContext = { ...inputs, schemaVersion };
    const whole = rulePart(tree);
    const conditions = new Map(allParts(whole).map((part) => [part, translateRule(part.node, context)]));
    return { ...permission, fault: null, rule: { source: value, whole, conditions } };
  } catch (error) {
    if (error instanceof RuleRefused) return nothing(error.message);
    if (error instanceof RangeError) return nothing('It is too long to be judged.');
    throw error;
  }
}

export function shownRule(
  { source, whole, conditions }: TakenRule,
  verdictOf: (condition: Condition) => boolean | null,
): ExplainedPart {
  const show = (part: RulePart): ExplainedPart => {
    const { start, end } = closedRange(source, part.node.range);
    const condition = conditions.get(part);
    const holds = condition === undefined ? null : verdictOf(condition);
    return { kind: part.kind, text: source.slice(start, end), start, end, holds, parts: part.parts.map(show) };
  };
  return show(whole);
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
