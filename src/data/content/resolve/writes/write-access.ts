import { cachedBy } from '../../../../kernel/cached-by.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { isInverseSide, isWrittenSchema } from '../../../model/field-uses.js';
import { anyOf, type Condition, NEVER } from '../conditions.js';
import type { AccessLookup, ContentAction, Grant, SchemaAccess } from '../resolved.types.js';

/** Cache that returns the same condition object for the same fields, so that records with equal rules are checked together. */
const rulesByFields = cachedBy((_access: SchemaAccess) => new Map<string, Condition>());

export function isWritable(schema: LinkedSchema, action: ContentAction, access: AccessLookup): boolean {
  const isDeletable = (action === 'delete' || action === 'restore') && schema.traits.isDeletable;
  if (!isWrittenSchema(schema) && !isDeletable) return false;
  const { root, grants } = access(schema, action);
  return schema.traits.writtenBy === 'root' ? root : grants.length > 0;
}

export function isFieldWritable(
  schema: LinkedSchema,
  action: ContentAction,
  name: string,
  access: AccessLookup,
): boolean {
  const { grants, root } = access(schema, action);
  const field = schema.fields[name];
  if (field !== undefined && isInverseSide(schema, field)) return false;
  return isWritable(schema, action, access) && grants.some((grant) => opens(grant, schema, name, root));
}

/** Returns true if an error message may name the field, because the principal may read or write it. */
export function isNameable(schema: LinkedSchema, name: string, access: AccessLookup): boolean {
  const field = schema.fields[name];
  if (field === undefined) return false;
  const isSeen = (['get', 'list'] as const).some((action) =>
    access(schema, action).grants.some(({ read }) => read === null || read.has(name)),
  );
  if (isSeen && !field.hidden) return true;
  return (['create', 'update'] as const).some((action) => isFieldWritable(schema, action, name, access));
}

export function writeRule(
  schema: LinkedSchema,
  action: ContentAction,
  names: readonly string[],
  access: AccessLookup,
): Condition {
  const decided = access(schema, action);
  const { grants, root } = decided;
  if (!isWritable(schema, action, access)) return NEVER;
  const covering = grants.filter((grant) => names.every((name) => opens(grant, schema, name, root)));
  const [only] = covering;
  if (covering.length <= 1) return only?.rule ?? NEVER;
  const rules = rulesByFields(decided);
  const key = JSON.stringify(names.toSorted());
  const rule = rules.get(key) ?? anyOf(covering.map((grant) => grant.rule));
  rules.set(key, rule);
  return rule;
}

function opens({ write }: Grant, schema: LinkedSchema, name: string, root: boolean): boolean {
  if (root) return true;
  // Protected fields require a permission that names them.
  return write === null ? !schema.traits.protectedFields.includes(name) : write.has(name);
}
