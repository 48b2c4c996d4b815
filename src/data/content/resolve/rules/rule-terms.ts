import { isStorable } from '../../../../kernel/text/storable-text.js';
import type { FieldType } from '../../../../kernel/schema-definition.types.js';
import type { ExpressionNode } from '../../../expressions/expression.types.js';
import type { LinkedField, LinkedRelationField, LinkedSchema } from '../../../model/schema-model.types.js';
import { reusedAt } from '../../../schema/schema.public.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import { ALWAYS, type Condition, isLive, type JoinStep, type Operand, ownColumn } from '../conditions.js';
import { keyOf, primaryOf, Placeholder } from '../sql-values.js';
import { ExpressionRefused } from '../../../expressions/expressions.public.js';

type TextRange = ExpressionNode['range'];

/** Thrown for a rule that does not compile or cannot be translated to SQL. */
export class RuleRefused extends ExpressionRefused {}

/** A value known when the statement is compiled. */
export type RuleLiteral = string | number | bigint | boolean | null | Date;

/** A value known when the statement runs. */
export type RuleConstant = RuleLiteral | Placeholder;

export interface FieldTerm {
  readonly kind: 'field';
  /** Steps to the record with the field. If a step has no target, there is no value, and CEL reports an error. */
  readonly joinSteps: readonly JoinStep[];
  /** Condition on the last record for the value to exist. */
  readonly needs: Condition;
  readonly operand: Operand;
  readonly type: FieldType;
}

export type RuleTerm =
  | { readonly kind: 'constant'; readonly value: RuleConstant }
  | { readonly kind: 'list'; readonly values: readonly RuleLiteral[] }
  | FieldTerm
  /** A to-many relation, only allowed with `in`. */
  | { readonly kind: 'many'; readonly joinStep: JoinStep; readonly key: Operand; readonly type: FieldType };

export interface RuleInputs {
  readonly auth: {
    readonly id: string | Placeholder;
    readonly email: string | Placeholder;
    readonly roles: readonly string[];
    readonly level?: number | undefined;
    readonly amr?: readonly string[] | undefined;
  };
  readonly now: Date | Placeholder;
}

export interface RuleContext extends RuleInputs {
  readonly snapshot: SchemaSnapshot;
  readonly schema: LinkedSchema;
  /** Schema version at which the rule was saved. Fields that took their names later are not accessible. */
  readonly schemaVersion?: number;
}

/** Returns the value of a constant that the statement text depends on. */
export function revealed(value: RuleConstant): RuleLiteral {
  return value instanceof Placeholder ? value.reveal() : value;
}

/** Resolves a part of a rule. Throws {@link RuleRefused} for expressions without an SQL equivalent. */
export function ruleTerm(node: ExpressionNode, context: RuleContext): RuleTerm {
  if (node.kind === 'literal') return literalTerm(node);
  if (node.kind === 'list') return listTerm(node, context);
  if (node.kind === 'name' && node.name === 'now') return { kind: 'constant', value: context.now };
  if (node.kind === 'call') return callTerm(node);
  const path = memberPath(node);
  if (path?.[0] === 'auth' && path.length === 2) return authTerm(path[1] ?? '', context, node.range);
  if (path?.[0] === 'record' && path.length > 1) return recordTerm(path.slice(1), context.schema, context, node.range);
  throw new RuleRefused('only record.…, auth.…, now and plain values are allowed here', node.range);
}

function literalTerm(node: Extract<ExpressionNode, { kind: 'literal' }>): RuleTerm {
  if (node.value instanceof Uint8Array) throw new RuleRefused('bytes are not allowed in a rule', node.range);
  if (typeof node.value === 'string' && !isStorable(node.value))
    throw new RuleRefused('this text cannot be stored in a record', node.range);
  return { kind: 'constant', value: node.value };
}

function listTerm(node: Extract<ExpressionNode, { kind: 'list' }>, context: RuleContext): RuleTerm {
  const values = node.entries.map((entry) => {
    const term = ruleTerm(entry, context);
    if (term.kind !== 'constant') throw new RuleRefused('a list in a rule can contain plain values only', entry.range);
    return revealed(term.value);
  });
  return { kind: 'list', values };
}

/** Resolves `-1`, which is an operator on a literal, and `timestamp("…")`. */
function callTerm(node: Extract<ExpressionNode, { kind: 'call' }>): RuleTerm {
  const [argument] = node.args;
  const value = argument?.kind === 'literal' && node.receiver === undefined ? argument.value : undefined;
  if (node.callee === '-_' && (typeof value === 'bigint' || typeof value === 'number'))
    return { kind: 'constant', value: -value };
  if (node.callee === 'timestamp' && typeof value === 'string' && isStorableTime(new Date(value)))
    return { kind: 'constant', value: new Date(value) };
  throw new RuleRefused(`${node.callee} is not allowed here in a rule`, node.range);
}

/** Only years 1 to 9999 can be stored. */
function isStorableTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

function authTerm(name: string, { auth }: RuleContext, range: TextRange): RuleTerm {
  if (name === 'roles') return { kind: 'list', values: auth.roles };
  if (name === 'amr') return { kind: 'list', values: auth.amr ?? [] };
  if (name === 'level') return { kind: 'constant', value: BigInt(auth.level ?? 1) };
  if (name === 'id' || name === 'email') return { kind: 'constant', value: auth[name] };
  throw new RuleRefused(`auth.${name} is not available in a rule`, range);
}

function memberPath(node: ExpressionNode): readonly string[] | null {
  if (node.kind === 'name') return [node.name];
  if (node.kind !== 'member') return null;
  const before = memberPath(node.object);
  return before && [...before, node.name];
}

function recordTerm(path: readonly string[], schema: LinkedSchema, context: RuleContext, range: TextRange): RuleTerm {
  const [name = '', ...rest] = path;
  const field = ruleField(schema, name, context, range);
  if (field.kind === 'value') {
    if (rest.length > 0) throw new RuleRefused(`${name} has no members in a rule`, range);
    return { kind: 'field', joinSteps: [], needs: ALWAYS, operand: ownColumn(field.column), type: field.type };
  }
  const target = context.snapshot.schemas[field.target];
  if (target === undefined) throw new RuleRefused(`${name} does not exist`, range);
  const joinStep = joinStepOver(field, target);
  if (field.many) {
    if (rest.length === 0)
      return { kind: 'many', joinStep, key: ownColumn(primaryOf(target).column), type: primaryOf(target).type };
    throw new RuleRefused(`${name} is a list: only "… in record.${name}" is allowed`, range);
  }
  if (rest.length === 0 || (rest.length === 1 && rest[0] === target.primaryField))
    return keyTerm(schema, field, target, rest.length > 0);
  const inner = recordTerm(rest, target, context, range);
  if (inner.kind !== 'field') throw new RuleRefused('a list behind a relation is not allowed in a rule', range);
  return { ...inner, joinSteps: [joinStep, ...inner.joinSteps] };
}

function ruleField(
  schema: LinkedSchema,
  name: string,
  { snapshot, schemaVersion = 0 }: RuleContext,
  range: TextRange,
): LinkedField {
  const field = schema.fields[name];
  if (field === undefined || field.hidden) throw new RuleRefused(`${schema.name} has no field ${name}`, range);
  if (reusedAt(snapshot.history, schema.name, name) > schemaVersion)
    throw new RuleRefused(`${schema.name}.${name} was replaced since the rule was saved`, range);
  return field;
}

/** Returns the key of a to-one relation. `record.author` is null if there is no target; `record.author.id` does not exist then. */
function keyTerm(schema: LinkedSchema, field: LinkedRelationField, target: LinkedSchema, isNamed: boolean): FieldTerm {
  const joinStep = joinStepOver(field, target);
  const { column, type } = primaryOf(target);
  const key = ownColumn(column);
  if (isForeignKey(schema, field, target)) {
    const operand = ownColumn(field.join.ownColumn);
    return { kind: 'field', joinSteps: [], needs: isNamed ? { kind: 'present', of: operand } : ALWAYS, operand, type };
  }
  if (isNamed) return { kind: 'field', joinSteps: [joinStep], needs: ALWAYS, operand: key, type };
  return { kind: 'field', joinSteps: [], needs: ALWAYS, operand: { kind: 'referenced', joinStep, of: key }, type };
}

/** Returns true if the foreign key column alone is reliable, because it cannot refer to a soft-deleted record. */
function isForeignKey({ table }: LinkedSchema, { join }: LinkedRelationField, target: LinkedSchema): boolean {
  if (join.kind !== 'direct' || join.holder !== 'own' || join.targetColumn !== keyOf(target).column) return false;
  const action = table.foreignKeys.find(({ column }) => column === join.ownColumn)?.onDelete;
  return !target.softDelete || (action !== undefined && action !== 'set_null');
}

/** Returns the join of a relation. Rules see all records, whatever the principal can read, except deleted ones. */
function joinStepOver({ join }: LinkedRelationField, target: LinkedSchema): JoinStep {
  return { join, where: isLive(target), guard: null };
}
