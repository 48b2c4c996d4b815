import { memoize } from '../../../kernel/memoize.js';
import { type PermissionRule, type PrincipalPermissions, coversResource } from '../../../kernel/permission-rules.js';
import { isInverseSide, isWrittenSchema } from '../../model/field-uses.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { reusedAt } from '../../schema/schema.public.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { compileRule } from './rules/compile-rule.js';
import {
  allOf,
  ALWAYS,
  anyOf,
  type Condition,
  NEVER,
  type AccessLookup,
  type ContentAction,
  type Grant,
  type SchemaAccess,
} from './conditions.js';
import { type RuleInputs, RuleRefused, type RuleContext } from './rules/rule-terms.js';
import { translateRule } from './rules/translate-rule.js';

export interface AccessContext extends RuleInputs {
  readonly snapshot: SchemaSnapshot;
  readonly permissions: PrincipalPermissions;
}

const EVERYTHING: SchemaAccess = { grants: [{ rule: ALWAYS, read: null, write: null }], root: true };
const NOTHING: SchemaAccess = { grants: [], root: false };

/**
 * Access by resource, for permissions that do not depend on the account or the time. It is the same for all requests with these
 * permissions.
 */
export type CachedAccess = Map<string, SchemaAccess>;

const accessBySnapshot = memoize((_permissions: PrincipalPermissions) =>
  memoize((_snapshot: SchemaSnapshot): CachedAccess => new Map()),
);

/** Returns the cache of permissions and a snapshot. A role change creates new permission objects. */
export function cachedAccess(permissions: PrincipalPermissions, snapshot: SchemaSnapshot): CachedAccess {
  return accessBySnapshot(permissions)(snapshot);
}

export function resourceOf(schema: LinkedSchema, action: ContentAction): string {
  return `content.${schema.name}.${action}`;
}

export function accessLookup(context: AccessContext): AccessLookup {
  const { permissions, snapshot } = context;
  if (permissions.root) return () => EVERYTHING;
  const opened = cachedAccess(permissions, snapshot);
  const bySchema = new Map<string, SchemaAccess>();
  const find = (schema: LinkedSchema, action: ContentAction): SchemaAccess => {
    const resource = resourceOf(schema, action);
    const decided = opened.get(resource) ?? bySchema.get(resource);
    if (decided !== undefined) return decided;
    const covering = permissions.permissions.filter((permission) => coversResource(permission, resource));
    const access = decide(context, schema, covering);
    (covering.every(isUnconditional) ? opened : bySchema).set(resource, access);
    return access;
  };
  // Caches the last lookup: callers ask for each field of the same schema.
  let last: { readonly schema: LinkedSchema; readonly action: ContentAction; readonly access: SchemaAccess } | null =
    null;
  return (schema, action) => {
    if (last?.schema !== schema || last.action !== action) last = { schema, action, access: find(schema, action) };
    return last.access;
  };
}

/** Returns true if the access to an action is the same for every request with these permissions. */
export function isLasting(
  { permissions, snapshot }: Pick<AccessContext, 'permissions' | 'snapshot'>,
  schema: LinkedSchema,
  action: ContentAction,
): boolean {
  return permissions.root || cachedAccess(permissions, snapshot).has(resourceOf(schema, action));
}

function isUnconditional({ value, within }: PermissionRule): boolean {
  return (value === 'allow' || value === 'deny') && (within === undefined || isUnconditional(within));
}

/**
 * Combines permissions: `deny` takes precedence, the others are united. A rule that cannot be translated grants nothing. A permission
 * refers to the schema and fields that had their names when it was saved. It grants nothing on newer ones that reuse a name, but its
 * denials still apply.
 */
function decide(context: AccessContext, schema: LinkedSchema, covering: readonly PermissionRule[]): SchemaAccess {
  if (covering.some(({ value }) => value === 'deny')) return NOTHING;
  const grants = covering.flatMap((permission) => grantOf(permission, { ...context, schema }) ?? []);
  return { grants: grants.filter(({ rule }) => rule !== NEVER), root: false };
}

function grantOf(permission: PermissionRule, context: AccessContext & { readonly schema: LinkedSchema }): Grant | null {
  const { value, fields, schemaVersion = 0, within } = permission;
  if (schemaVersion < reusedAt(context.snapshot.history, namedSchema(permission))) return null;
  const meaning: RuleContext = { ...context, schemaVersion };
  const rule = ruleOf(value, meaning);
  if (rule === null) return null;
  const grant = { rule, read: fieldsMeant(fields?.read, meaning), write: fieldsMeant(fields?.write, meaning) };
  if (within === undefined) return grant;
  const outer = grantOf(within, context);
  return outer && meetOf(grant, outer, context.schema);
}

/**
 * Returns the intersection of two grants. A grant without a list of writable fields excludes protected fields, even if the other grant
 * names them.
 */
function meetOf(one: Grant, other: Grant, { traits }: LinkedSchema): Grant {
  return {
    rule: allOf([one.rule, other.rule]),
    read: inBoth(one.read, other.read, []),
    write: inBoth(one.write, other.write, traits.protectedFields),
  };
}

/** @param notInAll names that a grant of all fields does not include. */
function inBoth(one: Names, other: Names, notInAll: readonly string[]): Names {
  if (one !== null && other !== null) return new Set([...one].filter((name) => other.has(name)));
  const named = one ?? other;
  return named && new Set([...named].filter((name) => !notInAll.includes(name)));
}

/** Field names; null for all. */
type Names = ReadonlySet<string> | null;

function ruleOf(value: string, context: RuleContext): Condition | null {
  if (value === 'allow') return ALWAYS;
  try {
    return translateRule(compileRule(context.schema, value), context);
  } catch (error) {
    if (error instanceof RuleRefused || error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the schema name of a resource; empty for `*` and `content.*`. */
export function namedSchema({ resource }: Pick<PermissionRule, 'resource'>): string {
  const [, name = ''] = resource.split('.');
  return name === '*' ? '' : name;
}

function fieldsMeant(
  names: readonly string[] | undefined,
  { snapshot, schema, schemaVersion = 0 }: RuleContext,
): ReadonlySet<string> | null {
  if (names === undefined) return null;
  return new Set(names.filter((name) => schemaVersion >= reusedAt(snapshot.history, schema.name, name)));
}

/** Cache that returns the same condition object for the same fields, so that records with equal rules are checked together. */
const rulesByFields = memoize((_access: SchemaAccess) => new Map<string, Condition>());

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
  return isEverWritable(schema, name, access);
}

/** Returns true if the principal may write the field of new or of existing records. */
export function isEverWritable(schema: LinkedSchema, name: string, access: AccessLookup): boolean {
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
