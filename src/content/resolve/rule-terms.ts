import type { ExpressionNode } from '../../schema/expressions/expression.types.js';
import type { FieldType } from '../../schema/model/field-types.js';
import type { LinkedField, LinkedRelationField, LinkedSchema } from '../../schema/model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { LateValue } from './late-value.js';
import { ALWAYS, type Hop, type Operand } from './resolved.types.js';

/** A part of the text of a rule. */
type TextRange = ExpressionNode['range'];

/** Raised for a rule that is CEL but cannot become a part of a statement. */
export class RuleRefused extends Error {
  constructor(
    message: string,
    readonly range: TextRange,
  ) {
    super(message);
    this.name = 'RuleRefused';
  }
}

/** A value that is known before the statement is made. */
export type KnownConstant = string | number | bigint | boolean | null | Date;

/** A value that is known before the statement runs. */
export type RuleConstant = KnownConstant | LateValue;

/** What a part of a rule stands for. */
export type RuleTerm =
  | { readonly kind: 'constant'; readonly value: RuleConstant }
  | { readonly kind: 'list'; readonly values: readonly KnownConstant[] }
  | { readonly kind: 'field'; readonly operand: Operand; readonly type: FieldType }
  /** A relation to many: only `in` takes it. */
  | { readonly kind: 'many'; readonly hop: Hop; readonly key: Operand; readonly type: FieldType };

/** Who asks and when, as a rule sees it. */
export interface RuleInputs {
  readonly auth: {
    readonly id: string | LateValue;
    readonly email: string | LateValue;
    readonly roles: readonly string[];
  };
  readonly now: Date | LateValue;
}

/** What a rule is translated for. */
export interface RuleWorld extends RuleInputs {
  readonly snapshot: SchemaSnapshot;
  readonly schema: LinkedSchema;
}

/** The value of a constant where the statement cannot be made without it. */
export function revealed(value: RuleConstant): KnownConstant {
  return value instanceof LateValue ? value.reveal() : value;
}

/** Finds out what a part of a rule stands for; throws {@link RuleRefused} for what has no counterpart in SQL. */
export function ruleTerm(node: ExpressionNode, world: RuleWorld): RuleTerm {
  if (node.kind === 'literal') return literalTerm(node);
  if (node.kind === 'list') return listTerm(node, world);
  if (node.kind === 'name' && node.name === 'now') return { kind: 'constant', value: world.now };
  if (node.kind === 'call') return callTerm(node);
  const path = memberPath(node);
  if (path?.[0] === 'auth' && path.length === 2) return authTerm(path[1] ?? '', world, node.range);
  if (path?.[0] === 'record' && path.length > 1) return recordTerm(path.slice(1), world.schema, world, node.range);
  throw new RuleRefused('only record.…, auth.…, now and plain values can stand here', node.range);
}

function literalTerm(node: Extract<ExpressionNode, { kind: 'literal' }>): RuleTerm {
  if (node.value instanceof Uint8Array) throw new RuleRefused('bytes cannot stand in a rule', node.range);
  if (typeof node.value === 'string' && (node.value.includes('\0') || !node.value.isWellFormed()))
    throw new RuleRefused('this text cannot be stored in a record', node.range);
  return { kind: 'constant', value: node.value };
}

function listTerm(node: Extract<ExpressionNode, { kind: 'list' }>, world: RuleWorld): RuleTerm {
  const values = node.entries.map((entry) => {
    const term = ruleTerm(entry, world);
    if (term.kind !== 'constant') throw new RuleRefused('a list in a rule holds plain values only', entry.range);
    return revealed(term.value);
  });
  return { kind: 'list', values };
}

/** `-1`, which is an operator on a literal, and `timestamp("…")`. */
function callTerm(node: Extract<ExpressionNode, { kind: 'call' }>): RuleTerm {
  const [argument] = node.args;
  const value = argument?.kind === 'literal' && node.receiver === undefined ? argument.value : undefined;
  if (node.callee === '-_' && (typeof value === 'bigint' || typeof value === 'number'))
    return { kind: 'constant', value: -value };
  if (node.callee === 'timestamp' && typeof value === 'string' && isStorable(new Date(value)))
    return { kind: 'constant', value: new Date(value) };
  throw new RuleRefused(`${node.callee} cannot stand in a rule here`, node.range);
}

/** Whether a field can hold a time: one with a year of four digits. */
function isStorable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

function authTerm(name: string, { auth }: RuleWorld, range: TextRange): RuleTerm {
  if (name === 'roles') return { kind: 'list', values: auth.roles };
  if (name === 'id' || name === 'email') return { kind: 'constant', value: auth[name] };
  throw new RuleRefused(`auth.${name} is not known when a rule is judged`, range);
}

function memberPath(node: ExpressionNode): readonly string[] | null {
  if (node.kind === 'name') return [node.name];
  if (node.kind !== 'member') return null;
  const before = memberPath(node.object);
  return before && [...before, node.name];
}

function recordTerm(path: readonly string[], schema: LinkedSchema, world: RuleWorld, range: TextRange): RuleTerm {
  const [name = '', ...rest] = path;
  const field = ruleField(schema, name, range);
  if (field.kind === 'value') {
    if (rest.length > 0) throw new RuleRefused(`${name} has no members in a rule`, range);
    return { kind: 'field', operand: ownColumn(field.column), type: field.type };
  }
  const target = world.snapshot.schemas[field.target];
  if (target === undefined) throw new RuleRefused(`${name} leads nowhere`, range);
  if (field.many) return manyTerm(field, target, rest, range);
  const inner = recordTerm(rest.length === 0 ? [target.primaryField] : rest, target, world, range);
  if (inner.kind !== 'field') throw new RuleRefused('a list behind a relation cannot stand in a rule', range);
  return { ...inner, operand: reached(field, inner.operand) };
}

function ruleField(schema: LinkedSchema, name: string, range: TextRange): LinkedField {
  const field = schema.fields[name];
  if (field === undefined || field.hidden) throw new RuleRefused(`${schema.name} has no field ${name}`, range);
  return field;
}

function manyTerm(
  field: LinkedRelationField,
  target: LinkedSchema,
  rest: readonly string[],
  range: TextRange,
): RuleTerm {
  const primary = target.fields[target.primaryField];
  if (primary?.kind !== 'value' || rest.length > 0)
    throw new RuleRefused(`${field.name} is a list: only "… in record.${field.name}" can be asked`, range);
  return { kind: 'many', hop: hopOver(field), key: ownColumn(primary.column), type: primary.type };
}

/** The key of the record that a foreign key leads to is the foreign key itself. */
function reached(field: LinkedRelationField, inner: Operand): Operand {
  const { join } = field;
  const isKey = inner.kind === 'column' && join.kind === 'direct' && join.holder === 'own';
  if (isKey && inner.column === join.targetColumn) return ownColumn(join.ownColumn);
  return { kind: 'reached', hop: hopOver(field), of: inner };
}

/** A rule sees what is there, whatever the one whom it judges may see. */
function hopOver({ join }: LinkedRelationField): Hop {
  return { join, where: ALWAYS, guard: null };
}

function ownColumn(column: string): Operand {
  return { kind: 'column', column, guard: null };
}
