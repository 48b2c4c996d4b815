export const ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'] as const;

export type Action = (typeof ACTIONS)[number];

/** Fields that a permission covers. A missing list covers all fields. */
export interface PermissionFields {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** `value` is `allow`, `deny` or a rule. */
export interface Grant {
  readonly value: string;
  readonly fields: PermissionFields | null;
}

export interface Permission extends Grant {
  readonly id: string;
  readonly role: string;
  readonly resource: string;
}

export interface AccessSearch {
  readonly role?: string;
  readonly schema?: string;
  /** Schema and record id for the access explanation. */
  readonly of?: string;
  readonly about?: string;
}

export interface AccessRole {
  readonly id: string;
  readonly name: string;
  readonly root: boolean;
  /** This field and all following ones are only read if the caller can change roles. */
  readonly description?: string | null;
  /** Second-factor rule: `off`, `optional` or `required`. */
  readonly mfa?: string;
  /** Days during which a user of the role can sign in without a required second factor. */
  readonly mfa_grace_days?: number;
}

/** Combined result of a role's permissions. `rule` is decided per record. */
export type Verdict = 'allow' | 'rule' | 'none';

export interface Effect {
  readonly verdict: Verdict;
  readonly by: readonly Permission[];
}

export const resourceOf = (schema: string, action: Action): string => `content.${schema}.${action}`;

/** Returns whether a resource pattern matches: the same name, `*`, or a prefix that ends with `.*`. */
function covers(pattern: string, resource: string): boolean {
  return (
    pattern === resource || pattern === '*' || (pattern.endsWith('.*') && resource.startsWith(pattern.slice(0, -1)))
  );
}

/** Combines the permissions of one role: deny beats allow, allow beats rules, rules add up. */
export function effectOf(permissions: readonly Permission[], resource: string): Effect {
  const matching = permissions.filter((item) => covers(item.resource, resource));
  const denied = matching.filter(({ value }) => value === 'deny');
  if (denied.length > 0) return { verdict: 'none', by: denied };
  const allowed = matching.filter(({ value }) => value === 'allow');
  if (allowed.length > 0) return { verdict: 'allow', by: allowed };
  return { verdict: matching.length > 0 ? 'rule' : 'none', by: matching };
}

/** Returns the resources of the permissions that the matrix does not show as an action of a schema. */
export function otherResources(
  permissions: readonly { readonly resource: string }[],
  schemas: readonly string[],
): readonly string[] {
  const shown = new Set(schemas.flatMap((schema) => ACTIONS.map((action) => resourceOf(schema, action))));
  return [...new Set(permissions.map(({ resource }) => resource))].filter((resource) => !shown.has(resource)).sort();
}

export const isRule = (value: string): boolean => value !== 'allow' && value !== 'deny';

/** Permissions of a role: all of them, those on one resource by name, and those on patterns. */
export interface RolePermissions {
  readonly all: readonly Permission[];
  readonly byName: ReadonlyMap<string, readonly Permission[]>;
  readonly patterns: readonly Permission[];
}

export function permissionsByRole(permissions: readonly Permission[]): ReadonlyMap<string, RolePermissions> {
  const roles = new Map<string, { all: Permission[]; byName: Map<string, Permission[]>; patterns: Permission[] }>();
  for (const one of permissions) {
    const role = roles.get(one.role) ?? { all: [], byName: new Map<string, Permission[]>(), patterns: [] };
    roles.set(one.role, role);
    role.all.push(one);
    if (one.resource.endsWith('*')) role.patterns.push(one);
    else role.byName.set(one.resource, [...(role.byName.get(one.resource) ?? []), one]);
  }
  return roles;
}

/** Returns the verdicts of {@link effectOf} for all {@link ACTIONS} of a schema, separated by spaces. */
export function verdictsOf(permissions: RolePermissions | undefined, schema: string): string {
  const { byName, patterns = [] } = permissions ?? {};
  return ACTIONS.map((action) => {
    const resource = resourceOf(schema, action);
    return effectOf([...(byName?.get(resource) ?? []), ...patterns], resource).verdict;
  }).join(' ');
}
