import { namedSchema, resourceOf } from '../resolve/content-access.js';
import type { ExpressionNode, TextRange } from '../../expressions/expression.types.js';
import { reusedAt, findSchema } from '../../schema/schema.public.js';
import { compileRule, draftRefusal } from '../resolve/rules/compile-rule.js';
import { type Condition, anyOf, isLive } from '../resolve/conditions.js';
import { type RuleContext, RuleRefused } from '../resolve/rules/rule-terms.js';
import { translateRule } from '../resolve/rules/translate-rule.js';
import type {
  ExplainedPart,
  AccessExplanation,
  CheckedPermissionFault,
  ExplainDto,
  ExplainedPermission,
  PermissionQuery,
} from './explanation.dto.js';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ViewedPrincipals, type Viewed } from '../../../identity/auth/auth.public.js';
import { permissionFaults } from '../../../identity/users/users.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { covers } from '../../../kernel/permission-rules.js';
import type { Principal } from '../../../kernel/principal.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { type ContentContext, ContentContexts } from '../content-context.service.js';
import { ContentStatements } from '../query/content-statements.js';
import { hasKey } from '../resolve/sql-values.js';
import { renderVerdicts } from '../render/render-condition.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import '../content.errors.js';

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

function parsePermission(permission: GrantedPermission, inputs: Omit<RuleContext, 'schemaVersion'>): ParsedPermission {
  const { value, schemaVersion, resource } = permission;
  const withoutRule = (fault: string | null): ParsedPermission => ({ ...permission, fault, rule: null });
  if (value === 'deny') return withoutRule(null);
  const name = namedSchema({ resource });
  if (schemaVersion < reusedAt(inputs.snapshot.history, name))
    return withoutRule(`The schema ${name} was replaced since the rule was saved.`);
  if (value === 'allow') return withoutRule(null);
  try {
    const tree = compileRule(inputs.schema, value);
    const context: RuleContext = { ...inputs, schemaVersion };
    const root = rulePart(tree);
    const conditions = new Map(allParts(root).map((part) => [part, translateRule(part.node, context)]));
    return { ...permission, fault: null, rule: { source: value, root, conditions } };
  } catch (error) {
    if (error instanceof RuleRefused) return withoutRule(error.message);
    if (error instanceof RangeError) return withoutRule('It is too long to be evaluated.');
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

const PERMISSIONS = `SELECT p.id, r.name AS role, p.resource, p.value, p.fields, p.schema_version AS "schemaVersion"
  FROM permissions p JOIN roles r ON r.id = p.role_id WHERE r.name = ANY($1) ORDER BY r.name, p.resource`;

/** Result of a condition, for the record if one is given. Null if it depends on a record and none is given. */
type Verdicts = (condition: Condition) => boolean | null;

/** Explains why a principal may or may not act on a schema or record. Uses the code that checks requests. */
@Injectable()
export class AccessExplanations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: ViewedPrincipals,
    private readonly contexts: ContentContexts,
    private readonly statements: ContentStatements,
  ) {}

  /** Checks unsaved permissions with the code that checks saved ones. */
  check(permissions: readonly PermissionQuery[]): readonly CheckedPermissionFault[] {
    const { snapshot } = this.contexts;
    return permissions.flatMap((permission, index) => faultsOf(snapshot, permission, index));
  }

  /** @throws AppError `validation_failed`, `principal_unknown`, `schema_not_found`, `record_not_found` */
  async explain(request: ExplainDto): Promise<AccessExplanation> {
    const principal = await this.principals.find(viewedOf(request));
    if (principal === null) throw new AppError('principal_unknown');
    return this.contexts.retryOnSchemaChange(() => this.explainAction(request, principal));
  }

  private async explainAction(
    { schema: name, action, id }: ExplainDto,
    principal: Principal,
  ): Promise<AccessExplanation> {
    const context = await this.contexts.open(principal);
    const schema = findSchema(context.snapshot, name);
    if (schema === undefined) throw new AppError('schema_not_found');
    const { root, roles } = context.permissions;
    const found = await this.permissionsOf(context, schema, resourceOf(schema, action));
    const open = anyOf(context.access(schema, action).grants.map(({ rule }) => rule));
    const rules = found.flatMap(({ rule }) => [...(rule?.conditions.values() ?? [])]);
    const live = isLive(schema);
    const verdicts = await this.verdicts(schema, id ?? null, [live, open, ...rules]);
    const isOpen = verdicts(open);
    const verdict = isOpen === null ? 'rules' : isOpen ? 'allow' : 'deny';
    const alive = id === undefined || id === null ? null : verdicts(live);
    const permissions = found.map((permission) => explained(permission, verdict, verdicts, found));
    return { verdict, root, roles, deleted: alive === null ? null : !alive, permissions };
  }

  private async permissionsOf(
    context: ContentContext,
    schema: LinkedSchema,
    resource: string,
  ): Promise<ParsedPermission[]> {
    const { permissions, principal, snapshot, auth, now } = context;
    const roles = principal.kind === 'guest' ? ['guest'] : permissions.roles;
    const rows = await this.dataSource.query<GrantedPermission[]>(PERMISSIONS, [roles]);
    return rows
      .filter((row) => covers(row.resource, resource))
      .map((row) => parsePermission(row, { snapshot, schema, auth, now }));
  }

  /** Evaluates conditions for a record. Without a record, only constant conditions have a result. */
  private async verdicts(schema: LinkedSchema, id: string | null, conditions: readonly Condition[]): Promise<Verdicts> {
    if (id === null) return (condition) => (condition.kind === 'constant' ? condition.value : null);
    const byKey = hasKey(schema, id);
    if (byKey === null) throw new AppError('record_not_found');
    const distinctConditions = [...new Set(conditions)];
    const [row] = await this.statements.run(renderVerdicts(schema.table.name, byKey, distinctConditions));
    if (row === undefined) throw new AppError('record_not_found');
    const fulfilled = new Set(distinctConditions.filter((_, at) => row[0]?.[at] === '1'));
    return (condition) => fulfilled.has(condition);
  }
}

function explained(
  { rule, id, role, resource, value, fields, fault }: ParsedPermission,
  verdict: AccessExplanation['verdict'],
  verdicts: Verdicts,
  all: readonly ParsedPermission[],
): ExplainedPermission {
  const condition = rule?.conditions.get(rule.root);
  const holds = fault !== null ? false : condition === undefined ? true : verdicts(condition);
  const isDenied = all.some((other) => other.value === 'deny');
  const decides = isDenied ? value === 'deny' : verdict !== 'deny' && holds !== false;
  return { id, role, resource, value, fields, decides, holds, fault, rule: rule && explainRule(rule, verdicts) };
}

/** @throws AppError `validation_failed` unless exactly one of them is given. */
function viewedOf({ role, user_id: userId, guest }: ExplainDto): Viewed {
  const named: Viewed[] = [];
  if (typeof role === 'string') named.push({ kind: 'role', name: role });
  if (typeof userId === 'string') named.push({ kind: 'user', id: userId });
  if (guest === true) named.push({ kind: 'guest' });
  const [viewed] = named;
  if (viewed !== undefined && named.length === 1) return viewed;
  throw AppError.validation([
    { field: 'role', code: 'value_invalid', message: 'send exactly one of role, user_id and guest' },
  ]);
}

function faultsOf(
  snapshot: SchemaSnapshot,
  { resource, value, fields = null }: PermissionQuery,
  index: number,
): readonly CheckedPermissionFault[] {
  let refusal: RuleRefused | null = null;
  const faults = permissionFaults({ resource, value, fields }, (name, rule) => {
    refusal = draftRefusal(snapshot, name, rule);
    return refusal && refusal.message;
  });
  return faults.map(({ field, message }) => {
    if (field !== 'value' || refusal === null) return { index, field, message };
    const { start, end } = refusal.range;
    return { index, field, message: refusal.message, start, end };
  });
}
