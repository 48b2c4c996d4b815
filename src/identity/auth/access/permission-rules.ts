/** A permission as it is kept: a resource or a prefix with a dot boundary, and what it says. */
export interface PermissionRule {
  readonly resource: string;
  readonly value: string;
  /** Fields of a record that it covers; left out or null: all. */
  readonly fields?: { readonly read?: readonly string[]; readonly write?: readonly string[] } | null;
  /** Version of the schemas at which it was saved; left out: before all. */
  readonly schemaVersion?: number;
}

/** Everything that the roles of a principal say. */
export interface PrincipalPermissions {
  /** True where one of the roles may do everything. */
  readonly root: boolean;
  readonly permissions: readonly PermissionRule[];
  /** Names of the roles, in alphabetical order. */
  readonly roles: readonly string[];
}

/**
 * What permissions say of a resource: `allow`, `deny` (also where nothing is said), or the rule expressions of which one
 * must hold for a record.
 */
export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'rules'; readonly rules: readonly string[] };

const ALLOW: Decision = { kind: 'allow' };
const DENY: Decision = { kind: 'deny' };

/** Whether a permission on `pattern` covers `resource`: the same name, `*`, or a prefix that ends at a dot (`content.post.*`). */
export function covers(pattern: string, resource: string): boolean {
  if (pattern === resource || pattern === '*') return true;
  return pattern.endsWith('.*') && resource.startsWith(pattern.slice(0, -1));
}

/** Decides over all permissions of all roles: deny beats allow, allow beats rules, rules add up (CONTRACT §5). */
export function decide(permissions: readonly PermissionRule[], resource: string): Decision {
  const values = permissions.filter((permission) => covers(permission.resource, resource)).map(({ value }) => value);
  if (values.includes('deny')) return DENY;
  if (values.includes('allow')) return ALLOW;
  return values.length === 0 ? DENY : { kind: 'rules', rules: [...new Set(values)] };
}
