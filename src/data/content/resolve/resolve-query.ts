import { fieldType, type TypeFamily, testsOf } from '../../model/field-types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { FilterNode, FilterOperator, SortKey } from '../request/list-query.types.js';
import type { PlainFaultCode, QueryFaults } from '../request/query-faults.js';
import {
  allOf,
  ALWAYS,
  anyOf,
  type Comparison,
  complementOf,
  type Condition,
  NEVER,
  type Operand,
  ownColumn,
  type ContentAction,
  type ResolvedRelation,
  type ResolvedSort,
  type ResolvedValue,
} from './conditions.js';
import type { FieldResolver } from './field-resolver.js';
import { comparedAs, filterMismatch, filterValue, primaryOf } from './sql-values.js';

type ConditionNode = Extract<FilterNode, { kind: 'condition' }>;
type QuantifiedNode = Extract<FilterNode, { kind: 'quantified' }>;

const COMPARISONS: Partial<Record<FilterOperator, Comparison>> = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

export class FilterResolver {
  constructor(
    private readonly fields: FieldResolver,
    private readonly faults: QueryFaults,
  ) {}

  /** @param action the action that reads the records. It decides which fields are usable. */
  resolve(node: FilterNode, schema: LinkedSchema, action: ContentAction): Condition {
    switch (node.kind) {
      case 'and':
        return allOf(node.of.map((child) => this.resolve(child, schema, action)));
      case 'or':
        return anyOf(node.of.map((child) => this.resolve(child, schema, action)));
      case 'not':
        return complementOf(this.resolve(node.of, schema, action));
      case 'search':
        return this.search(node.text, schema, action);
      case 'quantified':
        return this.quantified(node, schema, action, node.path);
      case 'condition':
        return this.condition(node, schema, action, node.path);
    }
  }

  private search(text: string, schema: LinkedSchema, action: ContentAction): Condition {
    const found = Object.keys(schema.fields).flatMap((name) => this.fields.value(schema, action, name, 'search') ?? []);
    const columns = found.flatMap(({ operand, field }) =>
      operand.kind === 'column' && operand.guard === null ? [field.column] : [],
    );
    if (columns.length === 0) return this.refuse('$search');
    const index = schema.table.indexes.find(({ method }) => method === 'search')?.columns ?? [];
    const isCovered = index.length === columns.length && index.every((column) => columns.includes(column));
    if (isCovered) return { kind: 'search', columns: index, indexed: null, text };
    const indexed = columns.every((column) => index.includes(column)) ? index : null;
    return { kind: 'search', columns, indexed, text };
  }

  private quantified(
    node: QuantifiedNode,
    schema: LinkedSchema,
    action: ContentAction,
    path: readonly string[],
  ): Condition {
    const step = this.fields.relation(schema, action, path[0] ?? '', 'filter');
    if (step === null) return this.refuse(node.path.join('.'));
    if (path.length > 1) {
      const inner = this.quantified({ ...node, path: path.slice(1) }, step.target, step.action, path.slice(1));
      return { kind: 'exists', joinStep: step.joinStep, where: inner };
    }
    const where = this.resolve(node.of, step.target, step.action);
    if (node.quantifier === 'some') return { kind: 'exists', joinStep: step.joinStep, where };
    if (node.quantifier === 'none') return complementOf({ kind: 'exists', joinStep: step.joinStep, where });
    return complementOf({ kind: 'exists', joinStep: step.joinStep, where: complementOf(where) });
  }

  /** A path over a to-many relation means "some". A value behind a missing record is null. */
  private condition(
    node: ConditionNode,
    schema: LinkedSchema,
    action: ContentAction,
    path: readonly string[],
  ): Condition {
    const name = path[0] ?? '';
    if (path.length === 1) {
      const value = this.fields.value(schema, action, name, 'filter');
      if (value !== null) return this.test(node, value);
    }
    const step = this.fields.relation(schema, action, name, 'filter');
    if (step === null) return this.refuse(node.path.join('.'));
    if (path.length > 1) {
      const inner = this.condition(node, step.target, step.action, path.slice(1));
      return node.operator === 'null' && !step.field.many
        ? complementOf({ kind: 'exists', joinStep: step.joinStep, where: complementOf(inner) })
        : { kind: 'exists', joinStep: step.joinStep, where: inner };
    }
    return this.byReference(node, step);
  }

  private byReference(node: ConditionNode, { target, action, joinStep }: ResolvedRelation): Condition {
    if (node.operator === 'null') return complementOf({ kind: 'exists', joinStep, where: ALWAYS });
    const primary = this.fields.value(target, action, target.primaryField, 'filter');
    if (primary === null) return this.refuse(node.path.join('.'));
    return { kind: 'exists', joinStep, where: this.test(node, primary) };
  }

  private test({ operator, values, path }: ConditionNode, { field, operand }: ResolvedValue): Condition {
    const location = path.join('.');
    if (operator === 'null') return { kind: 'not', of: { kind: 'present', of: operand } };
    const { family } = fieldType(field.type);
    if (!fits(operator, family)) return this.refuse(location, 'operator_unfit');
    if (!['eq', 'gt', 'gte', 'lt', 'lte', 'in'].includes(operator)) {
      const condition = patternCondition(operator, operand, String(values[0]));
      return condition ?? this.refuse(location, 'value_invalid');
    }
    const mismatch = values.map((value) => filterMismatch(value, field)).find((reason) => reason !== undefined);
    if (mismatch !== undefined)
      return this.refuse(location, 'value_invalid', `has a value that does not fit: ${mismatch}`);
    const parameters = values.map((value) => filterValue(value, field.type));
    const sqlType = comparedAs(field.type);
    if (operator === 'in')
      return parameters.length === 0 ? NEVER : { kind: 'among', left: operand, values: parameters, sqlType };
    const comparison = COMPARISONS[operator] ?? '=';
    return { kind: 'compare', comparison, left: operand, right: { kind: 'value', value: parameters[0], sqlType } };
  }

  private refuse(location: string, code: PlainFaultCode = 'unknown_field', message?: string): Condition {
    this.faults.add(location, code, message);
    return NEVER;
  }
}

function fits(operator: FilterOperator, family: TypeFamily): boolean {
  const tests = testsOf(family);
  if (operator === 'eq' || operator === 'in') return tests !== 'none';
  if (operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte')
    return tests === 'order' || tests === 'text';
  return tests === 'text';
}

function patternCondition(operator: FilterOperator, left: Operand, text: string): Condition | null {
  const ignoreCase = operator === 'ilike' || operator === 'icontains';
  const isLike = operator === 'like' || operator === 'ilike';
  // A LIKE pattern must not end with an escape character.
  if (isLike && /(?<!\\)(?:\\\\)*\\$/.test(text)) return null;
  const pattern = isLike ? text : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return { kind: 'pattern', left, pattern, ignoreCase };
}

/** Resolves sort keys, and appends the primary key so that the order is total. */
export function resolveSort(
  keys: readonly SortKey[],
  schema: LinkedSchema,
  action: ContentAction,
  fields: FieldResolver,
  faults: QueryFaults,
): readonly ResolvedSort[] {
  const resolved: ResolvedSort[] = [];
  for (const { path, descending } of keys) {
    const found = resolveValuePath(path, schema, action, fields);
    if (found === null) faults.add(path.join('.'), 'unknown_field');
    else resolved.push({ ...found, descending });
  }
  const primary = primaryOf(schema);
  const byPrimary = keys.some(({ path }) => path.length === 1 && path[0] === primary.name);
  if (byPrimary) return resolved;
  const operand = ownColumn(primary.column);
  const descending = resolved.at(-1)?.descending ?? false;
  const identity = identityOf(primary);
  return [...resolved, { identity, operand, type: primary.type, descending, nullable: false }];
}

/** Resolves a path of to-one relations to a value. Returns null for a path that may not be used or contains a to-many relation. */
export function resolveValuePath(
  path: readonly string[],
  schema: LinkedSchema,
  action: ContentAction,
  fields: FieldResolver,
): Omit<ResolvedSort, 'descending'> | null {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    const value = fields.value(schema, action, name, 'sort');
    if (value === null) return null;
    const { field, operand } = value;
    const isGuarded = operand.kind === 'column' && operand.guard !== null;
    return { identity: identityOf(field), operand, type: field.type, nullable: field.optional || isGuarded };
  }
  const step = fields.relation(schema, action, name, 'sort');
  if (step === null || step.field.many) return null;
  const inner = resolveValuePath(rest, step.target, step.action, fields);
  if (inner === null) return null;
  const operand: Operand = { kind: 'referenced', joinStep: step.joinStep, of: inner.operand };
  return { ...inner, identity: `${step.field.id}.${inner.identity}`, operand, nullable: true };
}

function identityOf({ id, type }: LinkedValueField): string {
  return `${id} ${type}`;
}
