import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { isInverseSide, isWrittenSchema } from '../../../model/field-uses.js';
import { anyOf } from '../conditions.js';
import type { AccessLookup, Grant, SchemaAccess } from '../content-access.types.js';
import { type Condition, type ContentAction, NEVER } from '../resolved.types.js';

/** One condition for the same fields, so that the records of a request that are judged alike are judged together. */
const RULES = new WeakMap<SchemaAccess, Map<string, Condition>>();

/** Returns whether the schema can be written through the content API at all by this principal. */
export function isWritable(schema: LinkedSchema, action: ContentAction, access: AccessLookup): boolean {
  const isDeletable = (action === 'delete' || action === 'restore') && schema.traits.isDeletable;
  if (!isWrittenSchema(schema) && !isDeletable) return false;
  const { root, grants } = access(schema, action);
  return schema.traits.writtenBy === 'root' ? root : grants.length > 0;
}

/** Returns whether some permission lets the field be written. */
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

/** Returns whether a refusal may name a field of a record that is written: one that the principal may see or write. */
export function isNameable(schema: LinkedSchema, name: string, access: AccessLookup): boolean {
  const field = schema.fields[name];
  if (field === undefined) return false;
  const isSeen = (['get', 'list'] as const).some((action) =>
    access(schema, action).grants.some(({ read }) => read === null || read.has(name)),
  );
  if (isSeen && !field.hidden) return true;
  return (['create', 'update'] as const).some((action) => isFieldWritable(schema, action, name, access));
}

/** Returns the rule of the records in which these fields may be written together. */
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
  const rules = RULES.get(decided) ?? new Map<string, Condition>();
  RULES.set(decided, rules);
  const key = JSON.stringify(names.toSorted());
  const rule = rules.get(key) ?? anyOf(covering.map((grant) => grant.rule));
  rules.set(key, rule);
  return rule;
}

function opens({ write }: Grant, schema: LinkedSchema, name: string, root: boolean): boolean {
  if (root) return true;
  // What is protected is opened by a permission that names it alone (THREATS, mass assignment).
  return write === null ? !schema.traits.protectedFields.includes(name) : write.has(name);
}
