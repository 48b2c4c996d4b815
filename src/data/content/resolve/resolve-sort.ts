import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { SortKey } from '../request/list-query.types.js';
import type { QueryFaults } from '../request/query-faults.js';
import { primaryOf } from './keys.js';
import type { FieldResolver } from './field-resolver.js';
import type { ContentAction, ResolvedSort } from './resolved.types.js';
import { type Operand, ownColumn } from './conditions.js';

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
