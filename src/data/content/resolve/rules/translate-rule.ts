import type { FieldType } from '../../../../kernel/schema-definition.types.js';
import { isUuid } from '../../../../kernel/keys/random.js';
import type { ExpressionNode } from '../../../expressions/expression.types.js';
import { fieldType, type TypeFamily } from '../../../model/field-types.js';
import { allOf, ALWAYS, anyOf, type Comparison, type Condition, NEVER, type Operand } from '../conditions.js';
import { Placeholder, comparedAs, floatValue } from '../sql-values.js';
import {
  type FieldTerm,
  type RuleLiteral,
  revealed,
  type RuleConstant,
  RuleRefused,
  type RuleTerm,
  ruleTerm,
  type RuleContext,
} from './rule-terms.js';

type CallNode = Extract<ExpressionNode, { kind: 'call' }>;

const ORDER: Readonly<Record<string, Comparison>> = { '<': '<', '<=': '<=', '>': '>', '>=': '>=' };
const MIRRORED: Readonly<Record<string, Comparison>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const TEXT_TESTS = ['startsWith', 'endsWith', 'contains'] as const;

/**
 * Translates a CEL rule to a condition that matches the same records. CEL errors (an order with null, a field behind a missing relation)
 * become unknown in SQL, which `&&`, `||` and `!` treat alike. Only `has` differs: it requires a non-null value.
 *
 * @throws RuleRefused for expressions that cannot be translated.
 */
export function translateRule(tree: ExpressionNode, context: RuleContext): Condition {
  return new RuleTranslator(context).condition(tree);
}

class RuleTranslator {
  constructor(private readonly context: RuleContext) {}

  /** @param positive false under a negation, where unknown and false differ. */
  condition(node: ExpressionNode, positive = true): Condition {
    if (node.kind === 'literal' && typeof node.value === 'boolean') return node.value ? ALWAYS : NEVER;
    if (node.kind === 'member') return this.truth(node, positive);
    if (node.kind !== 'call') throw new RuleRefused('a rule is true or false', node.range);
    const { callee, args } = node;
    if (callee === '&&') return allOf(args.map((arg) => this.condition(arg, positive)));
    if (callee === '||') return anyOf(args.map((arg) => this.condition(arg, positive)));
    if (callee === '!_') return this.negation(node);
    if (callee === 'has') return this.present(node);
    if (callee === '==' || callee === '!=') return this.equality(node, callee === '!=', positive);
    if (callee === 'in') return this.membership(node, positive);
    if (ORDER[callee] !== undefined) return this.order(node, positive);
    const test = TEXT_TESTS.find((name) => name === callee);
    if (test !== undefined && node.receiver !== undefined) return this.text(node, test, positive);
    throw new RuleRefused(`${callee} is not allowed in a rule`, node.range);
  }

  /** Three-valued negation: the negation of unknown is unknown. */
  private negation({ args: [inner] }: CallNode): Condition {
    const of = inner ? this.condition(inner, false) : NEVER;
    if (of.kind === 'constant') return of.value ? NEVER : ALWAYS;
    return { kind: 'not', of };
  }

  private truth(node: ExpressionNode, positive: boolean): Condition {
    const term = this.field(node);
    if (term.type !== 'bool') throw new RuleRefused('this must be true or false', node.range);
    return over(term, { kind: 'truth', of: term.operand }, positive);
  }

  /** Translates `has` to a condition that is never unknown. A value behind a missing relation is not present. */
  private present(node: CallNode): Condition {
    const [inner] = node.args;
    const term = inner && ruleTerm(inner, this.context);
    if (term?.kind !== 'field') throw new RuleRefused('has() requires a field of the record', node.range);
    return { kind: 'present', of: valueOf(term) };
  }

  private equality(node: CallNode, isNegative: boolean, positive: boolean): Condition {
    const [left, right] = this.pair(node);
    if (left.kind === 'constant' && right.kind === 'constant')
      return sameConstant(revealed(left.value), revealed(right.value)) === isNegative ? NEVER : ALWAYS;
    const [field, other] = left.kind === 'field' ? [left, right] : [right, left];
    if (field.kind !== 'field') throw new RuleRefused('lists cannot be compared', node.range);
    if (other.kind === 'field') return sameKind(field, other, node, isNegative ? 'differs' : 'same', positive);
    if (other.kind !== 'constant') throw new RuleRefused('lists cannot be compared', node.range);
    return over(field, this.equalTo(field, other.value, node, { isNegative, positive }), positive);
  }

  private equalTo(
    { operand, type }: FieldTerm,
    value: RuleConstant,
    node: CallNode,
    { isNegative, positive }: { readonly isNegative: boolean; readonly positive: boolean },
  ): Condition {
    if (value === null) {
      const present: Condition = { kind: 'present', of: operand };
      return isNegative ? present : { kind: 'not', of: present };
    }
    const right = this.parameter(value, type, node);
    if (right === undefined) return isNegative ? ALWAYS : NEVER;
    if (isNegative || !positive)
      return { kind: 'compare', comparison: isNegative ? 'differs' : 'same', left: operand, right };
    // Indexes support "=" and EXISTS, but not IS NOT DISTINCT FROM. In a positive context both match the same records.
    if (operand.kind !== 'referenced') return { kind: 'compare', comparison: '=', left: operand, right };
    return {
      kind: 'exists',
      joinStep: operand.joinStep,
      where: { kind: 'compare', comparison: '=', left: operand.of, right },
    };
  }

  private order(node: CallNode, positive: boolean): Condition {
    const [left, right] = this.pair(node);
    if (left.kind === 'field' && right.kind === 'field')
      return sameKind(left, right, node, ORDER[node.callee] ?? '<', positive);
    if (left.kind === 'constant' && right.kind === 'constant') return orderOf(left.value, right.value, node);
    const [field, other, table] = left.kind === 'field' ? [left, right, ORDER] : [right, left, MIRRORED];
    if (field.kind !== 'field' || other.kind !== 'constant' || other.value === null)
      throw new RuleRefused('a comparison of order requires a field and a value', node.range);
    const value = this.parameter(other.value, field.type, node);
    if (value === undefined || field.type === 'uuid' || field.type === 'bool')
      throw new RuleRefused('these values cannot be ordered', node.range);
    const plainOrder = comparedAs(field.type) === 'text';
    const comparison = table[node.callee] ?? '<';
    return over(field, { kind: 'compare', comparison, left: field.operand, right: value, plainOrder }, positive);
  }

  private membership(node: CallNode, positive: boolean): Condition {
    const [left, right] = this.pair(node);
    if (right.kind === 'many' && left.kind === 'constant' && left.value !== null) {
      const value = this.parameter(left.value, right.type, node);
      if (value === undefined) return NEVER;
      const where: Condition = { kind: 'compare', comparison: '=', left: right.key, right: value };
      return { kind: 'exists', joinStep: right.joinStep, where };
    }
    if (right.kind !== 'list')
      throw new RuleRefused('"in" requires a list of values, or a to-many relation', node.range);
    if (left.kind === 'constant') {
      const sought = revealed(left.value);
      return right.values.some((value) => sameConstant(value, sought)) ? ALWAYS : NEVER;
    }
    if (left.kind !== 'field' || right.values.includes(null))
      throw new RuleRefused('this cannot be in a list', node.range);
    const found = right.values.flatMap((value) => this.parameter(value, left.type, node) ?? []);
    const values = found.map((operand) => operand.value);
    const sqlType = found.some((operand) => operand.sqlType === 'numeric') ? 'numeric' : comparedAs(left.type);
    const among: Condition = { kind: 'among', left: left.operand, values, sqlType };
    return over(left, values.length === 0 ? NEVER : { kind: 'sure', of: among }, positive);
  }

  private text(node: CallNode, test: (typeof TEXT_TESTS)[number], positive: boolean): Condition {
    const left = this.field(node.receiver ?? node);
    const [argument] = node.args;
    const right = argument ? ruleTerm(argument, this.context) : undefined;
    const isText = comparedAs(left.type) === 'text';
    const value = right?.kind === 'constant' ? revealed(right.value) : undefined;
    if (!isText || typeof value !== 'string')
      throw new RuleRefused(`${test} requires a text field and a text`, node.range);
    const part: Operand = { kind: 'value', value, sqlType: 'text' };
    return over(left, { kind: 'text', test, left: left.operand, right: part }, positive);
  }

  private field(node: ExpressionNode): FieldTerm {
    const term = ruleTerm(node, this.context);
    if (term.kind !== 'field') throw new RuleRefused('this must be a field of the record', node.range);
    return term;
  }

  private pair(node: CallNode): readonly [RuleTerm, RuleTerm] {
    const [left, right] = node.args;
    if (left === undefined || right === undefined) throw new RuleRefused('an operand is missing here', node.range);
    return [ruleTerm(left, this.context), ruleTerm(right, this.context)];
  }

  /** Returns a constant as a parameter of the type of a field; undefined for text that cannot be a value of the field. */
  private parameter(
    value: RuleConstant,
    type: FieldType,
    node: CallNode,
  ): Extract<Operand, { kind: 'value' }> | undefined {
    const sqlType = comparedAs(type);
    const { family } = fieldType(type);
    if (value instanceof Placeholder && isBoundAs(value, family)) return { kind: 'value', value, sqlType };
    const constant = revealed(value);
    if (family === 'uuid' && typeof constant === 'string')
      return isUuid(constant) ? { kind: 'value', value: constant, sqlType } : undefined;
    const fitting = constantFor(constant, type);
    if (fitting === undefined) throw new RuleRefused('the types of the two sides differ', node.range);
    const isWide = typeof constant === 'bigint' && family === 'integer' && BigInt.asIntN(64, constant) !== constant;
    return { kind: 'value', value: fitting, sqlType: isWide ? 'numeric' : sqlType };
  }
}

function orderOf(left: RuleConstant, right: RuleConstant, node: CallNode): Condition {
  if (typeof left !== 'bigint' || typeof right !== 'bigint')
    throw new RuleRefused('a comparison of order requires a field and a value', node.range);
  const isLess = node.callee.startsWith('<') ? left < right : left > right;
  return isLess || (node.callee.endsWith('=') && left === right) ? ALWAYS : NEVER;
}

function isBoundAs({ name }: Placeholder, family: TypeFamily): boolean {
  if (name === 'now') return family === 'time';
  return family === 'string' || family === 'enum' || (family === 'uuid' && name === 'auth.id');
}

function constantFor(value: RuleLiteral, type: FieldType): unknown {
  const { family } = fieldType(type);
  if (family === 'string' || family === 'enum') return typeof value === 'string' ? value : undefined;
  if (family === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (family === 'integer') return typeof value === 'bigint' ? value.toString() : undefined;
  if (family === 'float')
    return typeof value === 'number' || typeof value === 'bigint' ? floatValue(Number(value), type) : undefined;
  return family === 'time' && value instanceof Date ? value.toISOString() : undefined;
}

function sameKind(
  left: FieldTerm,
  right: FieldTerm,
  node: CallNode,
  comparison: Comparison,
  positive: boolean,
): Condition {
  const [one, other] = [comparedAs(left.type), comparedAs(right.type)];
  if (one !== other || one === 'jsonb' || one === 'bytea')
    throw new RuleRefused('the types of the two sides differ', node.range);
  const plainOrder = one === 'text';
  const of: Condition = { kind: 'compare', comparison, left: valueOf(left), right: valueOf(right), plainOrder };
  return isPresentAnd(allOf([exists(left), exists(right)]), of, positive);
}

/** Wraps a condition on the last record of a path into one on the record of the rule. */
function over({ joinSteps, needs }: FieldTerm, condition: Condition, positive: boolean): Condition {
  const of = isPresentAnd(needs, condition, positive);
  if (positive) return joinSteps.reduceRight<Condition>((where, joinStep) => ({ kind: 'exists', joinStep, where }), of);
  return joinSteps.reduceRight<Condition>((inner, joinStep) => ({ kind: 'through', joinStep, of: inner }), of);
}

function isPresentAnd(where: Condition, of: Condition, positive: boolean): Condition {
  // A null key never equals a value.
  const isStrict = of.kind === 'compare' && of.comparison === '=';
  if (where === ALWAYS || (isStrict && where.kind === 'present')) return of;
  return positive ? allOf([where, of]) : { kind: 'given', where, of };
}

function valueOf({ joinSteps, operand }: FieldTerm): Operand {
  return joinSteps.reduceRight<Operand>((of, joinStep) => ({ kind: 'referenced', joinStep, of }), operand);
}

function exists({ joinSteps, needs }: FieldTerm): Condition {
  return joinSteps.reduceRight<Condition>((where, joinStep) => ({ kind: 'exists', joinStep, where }), needs);
}

function sameConstant(left: RuleLiteral, right: RuleLiteral): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  return left === right;
}
