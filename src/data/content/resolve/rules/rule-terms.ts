import { isStorable } from '../../../../kernel/text/storable-text.js';
import type { FieldType } from '../../../../kernel/schema-definition.types.js';
import type { ExpressionNode } from '../../../expressions/expression.types.js';
import type { LinkedField, LinkedRelationField, LinkedSchema } from '../../../model/schema-model.types.js';
import { retakenAt } from '../../../schema/schema.public.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import { isLive } from '../conditions.js';
import { keyOf } from '../key-of.js';
import { Placeholder } from '../placeholder.js';
import { ALWAYS, type Condition, type JoinStep, type Operand } from '../resolved.types.js';

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
export type RuleConstant = KnownConstant | Placeholder;

/** A field of the record, or of one that a path over relations leads to. */
export interface FieldTerm {
  readonly kind: 'field';
  /** The steps to the record that has the field; without one of them there is no value, which CEL answers with an error. */
  readonly joinSteps: readonly JoinStep[];
  /** Condition of the record at the end of the steps on which the value is there. */
  readonly needs: Condition;
  /** Speaks of the record at the end of the steps. */
  readonly operand: Operand;
  readonly type: FieldType;
}

/** Meaning of a part of a rule. */
export type RuleTerm =
  | { readonly kind: 'constant'; readonly value: RuleConstant }
  | { readonly kind: 'list'; readonly values: readonly KnownConstant[] }
  | FieldTerm
  /** A relation to many: only `in` takes it. */
  | { readonly kind: 'many'; readonly joinStep: JoinStep; readonly key: Operand; readonly type: FieldType };

/** Principal and time of a request, as a rule sees them. */
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

/** Context for which a rule is translated. */
export interface RuleContext extends RuleInputs {
  readonly snapshot: SchemaSnapshot;
  readonly schema: LinkedSchema;
  /** Version of the schemas at which the rule was saved: it does not speak of fields that took their names since. */
  readonly schemaVersion?: number;
}

/** Returns the value of a constant where the statement cannot be made without it. */
export function revealed(value: RuleConstant): KnownConstant {
  return value instanceof Placeholder ? value.reveal() : value;
}

/** Finds out what a part of a rule stands for; throws {@link RuleRefused} for what has no counterpart in SQL. */
export function ruleTerm(node: ExpressionNode, context: RuleContext): RuleTerm {
  if (node.kind === 'literal') return literalTerm(node);
  if (node.kind === 'list') return listTerm(node, context);
  if (node.kind === 'name' && node.name === 'now') return { kind: 'constant', value: context.now };
  if (node.kind === 'call') return callTerm(node);
  const path = memberPath(node);
  if (path?.[0] === 'auth' && path.length === 2) return authTerm(path[1] ?? '', context, node.range);
  if (path?.[0] === 'record' && path.length > 1) return recordTerm(path.slice(1), context.schema, context, node.range);
  throw new RuleRefused('only record.…, auth.…, now and plain values can stand here', node.range);
}

function literalTerm(node: Extract<ExpressionNode, { kind: 'literal' }>): RuleTerm {
  if (node.value instanceof Uint8Array) throw new RuleRefused('bytes cannot stand in a rule', node.range);
  if (typeof node.value === 'string' && !isStorable(node.value))
    throw new RuleRefused('this text cannot be stored in a record', node.range);
  return { kind: 'constant', value: node.value };
}

function listTerm(node: Extract<ExpressionNode, { kind: 'list' }>, context: RuleContext): RuleTerm {
  const values = node.entries.map((entry) => {
    const term = ruleTerm(entry, context);
    if (term.kind !== 'constant') throw new RuleRefused('a list in a rule holds plain values only', entry.range);
    return revealed(term.value);
  });
  return { kind: 'list', values };
}

/** Reads `-1`, which is an operator on a literal, and `timestamp("…")`. */
function callTerm(node: Extract<ExpressionNode, { kind: 'call' }>): RuleTerm {
  const [argument] = node.args;
  const value = argument?.kind === 'literal' && node.receiver === undefined ? argument.value : undefined;
  if (node.callee === '-_' && (typeof value === 'bigint' || typeof value === 'number'))
    return { kind: 'constant', value: -value };
  if (node.callee === 'timestamp' && typeof value === 'string' && isStorableTime(new Date(value)))
    return { kind: 'constant', value: new Date(value) };
  throw new RuleRefused(`${node.callee} cannot stand in a rule here`, node.range);
}

/** Returns whether a field can hold a time: one with a year of four digits. */
function isStorableTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

function authTerm(name: string, { auth }: RuleContext, range: TextRange): RuleTerm {
  if (name === 'roles') return { kind: 'list', values: auth.roles };
  if (name === 'amr') return { kind: 'list', values: auth.amr ?? [] };
  if (name === 'level') return { kind: 'constant', value: BigInt(auth.level ?? 1) };
  if (name === 'id' || name === 'email') return { kind: 'constant', value: auth[name] };
  throw new RuleRefused(`auth.${name} is not known when a rule is judged`, range);
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
  if (target === undefined) throw new RuleRefused(`${name} leads nowhere`, range);
  const joinStep = joinStepOver(field, target);
  if (field.many) {
    if (rest.length === 0) return { kind: 'many', joinStep, ...primaryOf(target) };
    throw new RuleRefused(`${name} is a list: only "… in record.${name}" can be asked`, range);
  }
  if (rest.length === 0 || (rest.length === 1 && rest[0] === target.primaryField))
    return keyTerm(schema, field, target, rest.length > 0);
  const inner = recordTerm(rest, target, context, range);
  if (inner.kind !== 'field') throw new RuleRefused('a list behind a relation cannot stand in a rule', range);
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
  if (retakenAt(snapshot.history, schema.name, name) > schemaVersion)
    throw new RuleRefused(`${schema.name}.${name} is another field than when the rule was saved`, range);
  return field;
}

/**
 * Returns the key of the record that a relation to one leads to. The relation alone is empty if it leads nowhere; its key by name
 * is then not there at all.
 */
function keyTerm(schema: LinkedSchema, field: LinkedRelationField, target: LinkedSchema, isNamed: boolean): FieldTerm {
  const joinStep = joinStepOver(field, target);
  const { key, type } = primaryOf(target);
  if (isForeignKey(schema, field, target)) {
    const operand = ownColumn(field.join.ownColumn);
    return { kind: 'field', joinSteps: [], needs: isNamed ? { kind: 'present', of: operand } : ALWAYS, operand, type };
  }
  if (isNamed) return { kind: 'field', joinSteps: [joinStep], needs: ALWAYS, operand: key, type };
  return { kind: 'field', joinSteps: [], needs: ALWAYS, operand: { kind: 'referenced', joinStep, of: key }, type };
}

/** Returns whether a column of the record itself is the key of a record that is there: it may not lead to one that was deleted. */
function isForeignKey({ table }: LinkedSchema, { join }: LinkedRelationField, target: LinkedSchema): boolean {
  if (join.kind !== 'direct' || join.holder !== 'own' || join.targetColumn !== keyOf(target).column) return false;
  const action = table.foreignKeys.find(({ column }) => column === join.ownColumn)?.onDelete;
  return !target.softDelete || (action !== undefined && action !== 'set_null');
}

function primaryOf(schema: LinkedSchema): { readonly key: Operand; readonly type: FieldType } {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return { key: ownColumn(field.column), type: field.type };
}

/**
 * Returns the join of a relation in a rule. A rule sees what is there, whatever the one whom it judges may see; what was deleted is
 * not there.
 */
function joinStepOver({ join }: LinkedRelationField, target: LinkedSchema): JoinStep {
  return { join, where: isLive(target), guard: null };
}

function ownColumn(column: string): Operand {
  return { kind: 'column', column, guard: null };
}
