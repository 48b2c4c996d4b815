import { isUuid } from '../../kernel/random.js';
import type { ExpressionNode } from '../../schema/expressions/expression.types.js';
import { fieldType, type FieldType } from '../../schema/model/field-types.js';
import { allOf, anyOf } from './conditions.js';
import { ALWAYS, type Comparison, type Condition, NEVER, type Operand } from './resolved.types.js';
import { LateValue } from './late-value.js';
import {
  type KnownConstant,
  revealed,
  type RuleConstant,
  RuleRefused,
  type RuleTerm,
  ruleTerm,
  type RuleWorld,
} from './rule-terms.js';
import { comparedAs, floatValue } from './sql-value.js';

type CallNode = Extract<ExpressionNode, { kind: 'call' }>;
type ValueOperand = Extract<Operand, { kind: 'value' }>;
type FieldTerm = Extract<RuleTerm, { kind: 'field' }>;

const ORDER: Readonly<Record<string, Comparison>> = { '<': '<', '<=': '<=', '>': '>', '>=': '>=' };
const MIRRORED: Readonly<Record<string, Comparison>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const TEXT_TESTS = ['startsWith', 'endsWith', 'contains'] as const;

/**
 * Turns a rule in CEL into a condition of a statement. It may let less through than CEL would where something is empty,
 * never more: what CEL answers with an error is unknown in SQL and lets nothing through. Throws {@link RuleRefused} for
 * what does not translate.
 */
export function translateRule(tree: ExpressionNode, world: RuleWorld): Condition {
  return new RuleTranslator(world).condition(tree);
}

class RuleTranslator {
  constructor(private readonly world: RuleWorld) {}

  /** @param positive false under a negation, where unknown and false are not the same. */
  condition(node: ExpressionNode, positive = true): Condition {
    if (node.kind === 'literal' && typeof node.value === 'boolean') return node.value ? ALWAYS : NEVER;
    if (node.kind === 'member') return this.truth(node);
    if (node.kind !== 'call') throw new RuleRefused('a rule is true or false', node.range);
    const { callee, args } = node;
    if (callee === '&&') return allOf(args.map((arg) => this.condition(arg, positive)));
    if (callee === '||') return anyOf(args.map((arg) => this.condition(arg, positive)));
    if (callee === '!_') return this.negation(node);
    if (callee === 'has') return this.present(node);
    if (callee === '==' || callee === '!=') return this.equality(node, callee === '!=', positive);
    if (callee === 'in') return this.membership(node);
    if (ORDER[callee] !== undefined) return this.order(node);
    const test = TEXT_TESTS.find((name) => name === callee);
    if (test !== undefined && node.receiver !== undefined) return this.text(node, test);
    throw new RuleRefused(`${callee} cannot be a part of a statement`, node.range);
  }

  /** Three-valued, as CEL has it: the negation of what is not known is not known. */
  private negation({ args: [inner] }: CallNode): Condition {
    const of = inner ? this.condition(inner, false) : NEVER;
    if (of.kind === 'constant') return of.value ? NEVER : ALWAYS;
    return { kind: 'not', of };
  }

  private truth(node: ExpressionNode): Condition {
    const term = this.field(node);
    if (term.type !== 'bool') throw new RuleRefused('this is not true or false', node.range);
    return { kind: 'truth', of: term.operand };
  }

  private present(node: CallNode): Condition {
    const [inner] = node.args;
    const term = inner && ruleTerm(inner, this.world);
    if (term?.kind !== 'field') throw new RuleRefused('has takes a field of the record', node.range);
    return { kind: 'present', of: term.operand };
  }

  private equality(node: CallNode, isNegative: boolean, positive: boolean): Condition {
    const [left, right] = this.pair(node);
    if (left.kind === 'constant' && right.kind === 'constant')
      return sameConstant(revealed(left.value), revealed(right.value)) === isNegative ? NEVER : ALWAYS;
    const [field, other] = left.kind === 'field' ? [left, right] : [right, left];
    if (field.kind !== 'field') throw new RuleRefused('lists cannot be compared', node.range);
    const comparison = isNegative ? 'differs' : 'same';
    if (other.kind === 'field') return sameKind(field, other, node, comparison);
    if (other.kind !== 'constant') throw new RuleRefused('lists cannot be compared', node.range);
    if (other.value === null) {
      const present: Condition = { kind: 'present', of: field.operand };
      return isNegative ? present : { kind: 'not', of: present };
    }
    const value = this.parameter(other.value, field.type, node);
    if (value === undefined) return isNegative ? ALWAYS : NEVER;
    // Over a relation nothing at all may be there, which CEL answers with an error.
    if (field.operand.kind === 'reached') {
      const same: Condition = { kind: 'compare', comparison: '=', left: field.operand, right: value };
      return isNegative ? { kind: 'not', of: same } : same;
    }
    // An index serves "=", and not what takes empty values for equal; here they let through the same.
    const served = comparison === 'same' && positive ? '=' : comparison;
    return { kind: 'compare', comparison: served, left: field.operand, right: value };
  }

  private order(node: CallNode): Condition {
    const [left, right] = this.pair(node);
    if (left.kind === 'field' && right.kind === 'field') return sameKind(left, right, node, ORDER[node.callee] ?? '<');
    const [field, other, table] = left.kind === 'field' ? [left, right, ORDER] : [right, left, MIRRORED];
    if (field.kind !== 'field' || other.kind !== 'constant' || other.value === null)
      throw new RuleRefused('an order needs a field and a value', node.range);
    const value = this.parameter(other.value, field.type, node);
    if (value === undefined || field.type === 'uuid' || field.type === 'bool')
      throw new RuleRefused('these have no order', node.range);
    const plainOrder = comparedAs(field.type) === 'text';
    return { kind: 'compare', comparison: table[node.callee] ?? '<', left: field.operand, right: value, plainOrder };
  }

  private membership(node: CallNode): Condition {
    const [left, right] = this.pair(node);
    if (right.kind === 'many' && left.kind === 'constant' && left.value !== null) {
      const value = this.parameter(left.value, right.type, node);
      if (value === undefined) return NEVER;
      const where: Condition = { kind: 'compare', comparison: '=', left: right.key, right: value };
      return { kind: 'exists', hop: right.hop, where };
    }
    if (right.kind !== 'list') throw new RuleRefused('"in" needs a list of values, or a relation to many', node.range);
    if (left.kind === 'constant') {
      const sought = revealed(left.value);
      return right.values.some((value) => sameConstant(value, sought)) ? ALWAYS : NEVER;
    }
    if (left.kind !== 'field' || right.values.includes(null))
      throw new RuleRefused('this cannot be in a list', node.range);
    const found = right.values.flatMap((value) => this.parameter(value, left.type, node) ?? []);
    const values = found.map((operand) => operand.value);
    if (values.length === 0) return NEVER;
    const sqlType = found.some((operand) => operand.sqlType === 'numeric') ? 'numeric' : comparedAs(left.type);
    return { kind: 'sure', of: { kind: 'among', left: left.operand, values, sqlType } };
  }

  private text(node: CallNode, test: (typeof TEXT_TESTS)[number]): Condition {
    const left = this.field(node.receiver ?? node);
    const [argument] = node.args;
    const right = argument ? ruleTerm(argument, this.world) : undefined;
    const isText = comparedAs(left.type) === 'text';
    const value = right?.kind === 'constant' ? revealed(right.value) : undefined;
    if (!isText || typeof value !== 'string')
      throw new RuleRefused(`${test} needs a text field and a text`, node.range);
    return { kind: 'text', test, left: left.operand, right: { kind: 'value', value, sqlType: 'text' } };
  }

  private field(node: ExpressionNode): FieldTerm {
    const term = ruleTerm(node, this.world);
    if (term.kind !== 'field') throw new RuleRefused('this must be a field of the record', node.range);
    return term;
  }

  private pair(node: CallNode): readonly [RuleTerm, RuleTerm] {
    const [left, right] = node.args;
    if (left === undefined || right === undefined) throw new RuleRefused('something is missing here', node.range);
    return [ruleTerm(left, this.world), ruleTerm(right, this.world)];
  }

  /** A constant as a parameter of the type of a field; undefined for text that no value of the field equals. */
  private parameter(value: RuleConstant, type: FieldType, node: CallNode): ValueOperand | undefined {
    const sqlType = comparedAs(type);
    const { family } = fieldType(type);
    if (value instanceof LateValue && isFilledInAs(value, family)) return { kind: 'value', value, sqlType };
    const known = revealed(value);
    if (family === 'uuid' && typeof known === 'string')
      return isUuid(known) ? { kind: 'value', value: known, sqlType } : undefined;
    const fitting = constantFor(known, type);
    if (fitting === undefined) throw new RuleRefused('the types of the two sides differ', node.range);
    const isWide = typeof known === 'bigint' && family === 'integer' && BigInt.asIntN(64, known) !== known;
    return { kind: 'value', value: fitting, sqlType: isWide ? 'numeric' : sqlType };
  }
}

type Family = ReturnType<typeof fieldType>['family'];

/** Whether every value that can be filled in fits a field. */
function isFilledInAs({ name }: LateValue, family: Family): boolean {
  if (name === 'now') return family === 'time';
  return family === 'string' || family === 'enum' || (family === 'uuid' && name === 'auth.id');
}

function constantFor(value: KnownConstant, type: FieldType): unknown {
  const { family } = fieldType(type);
  if (family === 'string' || family === 'enum') return typeof value === 'string' ? value : undefined;
  if (family === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (family === 'integer') return typeof value === 'bigint' ? value.toString() : undefined;
  if (family === 'float')
    return typeof value === 'number' || typeof value === 'bigint' ? floatValue(Number(value), type) : undefined;
  return family === 'time' && value instanceof Date ? value.toISOString() : undefined;
}

function sameKind(left: FieldTerm, right: FieldTerm, node: CallNode, comparison: Comparison): Condition {
  const [one, other] = [comparedAs(left.type), comparedAs(right.type)];
  if (one !== other || one === 'jsonb' || one === 'bytea')
    throw new RuleRefused('the types of the two sides differ', node.range);
  const plainOrder = one === 'text';
  return { kind: 'compare', comparison, left: left.operand, right: right.operand, plainOrder };
}

function sameConstant(left: KnownConstant, right: KnownConstant): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  return left === right;
}
