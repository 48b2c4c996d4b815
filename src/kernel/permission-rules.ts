import type { KeyScope } from './principal.types.js';

/** A stored permission, or a scope of an API key: a resource or a prefix that ends at a dot, and its value. */
export interface PermissionRule extends KeyScope {
  /** Outer permission that limits this one. */
  readonly within?: PermissionRule;
}

export interface PrincipalPermissions {
  readonly root: boolean;
  readonly permissions: readonly PermissionRule[];
  readonly roles: readonly string[];
  /** Assurance level and authentication methods of the session, for rule expressions. */
  readonly level?: number;
  readonly amr?: readonly string[];
}

/** `deny` also applies without any permission. All rules of one list must be true. */
export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'rules'; readonly rules: readonly (readonly string[])[] };

const ALLOW: Decision = { kind: 'allow' };
const DENY: Decision = { kind: 'deny' };

/** Returns whether a permission on `pattern` covers `resource`: the same name, `*`, or a prefix that ends at a dot (`content.post.*`). */
export function covers(pattern: string, resource: string): boolean {
  if (pattern === resource || pattern === '*') return true;
  return pattern.endsWith('.*') && resource.startsWith(pattern.slice(0, -1));
}

/** Returns whether a permission, including its outer permissions, covers a resource. */
export function coversResource({ resource: pattern, within }: PermissionRule, resource: string): boolean {
  return covers(pattern, resource) && (within === undefined || coversResource(within, resource));
}

export function valuesOf({ value, within }: PermissionRule): readonly string[] {
  return within === undefined ? [value] : [value, ...valuesOf(within)];
}

/** Resources, or prefixes of them, that are allowed and denied independent of records. Deny has precedence over allow. */
export interface RoutePatterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export function isOpenBy({ allow, deny }: RoutePatterns, resource: string): boolean {
  return allow.some((pattern) => covers(pattern, resource)) && !deny.some((pattern) => covers(pattern, resource));
}

/**
 * Returns the patterns that permissions currently allow and deny.
 *
 * @param isSatisfied returns whether all of the rules are true.
 * @param closed patterns that are always denied.
 */
export function patternsOf(
  { root, permissions }: Pick<PrincipalPermissions, 'root' | 'permissions'>,
  isSatisfied: (rules: readonly string[]) => boolean,
  closed: readonly string[],
): RoutePatterns {
  const allow = root ? ['*'] : permissions.filter((one) => isGranted(one, isSatisfied)).map(narrowestOf);
  const denied = root ? [] : permissions.filter(({ value }) => value === 'deny').map(({ resource }) => resource);
  const deny = [...denied, ...closed.filter((name) => allow.some((pattern) => overlap(pattern, name)))];
  return { allow: [...new Set(allow)].sort(), deny: [...new Set(deny)].sort() };
}

function isGranted(permission: PermissionRule, isSatisfied: (rules: readonly string[]) => boolean): boolean {
  const rules = valuesOf(permission).filter((value) => value !== 'allow');
  return !rules.includes('deny') && (rules.length === 0 || isSatisfied(rules));
}

function narrowestOf({ resource, within }: PermissionRule): string {
  if (within === undefined) return resource;
  const outer = narrowestOf(within);
  return covers(resource, outer) ? outer : resource;
}

/** Combines the permissions of all roles: deny before allow, allow before rules, and rules are alternatives. */
export function decide(permissions: readonly PermissionRule[], resource: string): Decision {
  const covering = permissions.filter((permission) => coversResource(permission, resource)).map(valuesOf);
  if (covering.some((values) => values.includes('deny'))) return DENY;
  const rules = covering.map((values) => values.filter((value) => value !== 'allow'));
  if (rules.some((all) => all.length === 0)) return ALLOW;
  return rules.length === 0 ? DENY : { kind: 'rules', rules: distinct(rules) };
}

/**
 * Limits permissions to scopes. Each permission applies within each scope that it overlaps, and denials of both apply.
 * Within scopes there is no root.
 */
export function cutTo(scopes: readonly PermissionRule[], granted: PrincipalPermissions): PrincipalPermissions {
  const { root, permissions, ...caller } = granted;
  if (root) return { root: false, permissions: scopes, ...caller };
  const denials = [...permissions, ...scopes].filter(({ value }) => value === 'deny');
  const grants = permissions.filter(({ value }) => value !== 'deny');
  const within = scopes
    .filter(({ value }) => value !== 'deny')
    .flatMap((scope) =>
      grants.filter((grant) => overlap(grant.resource, scope.resource)).map((grant) => ({ ...grant, within: scope })),
    );
  return { root: false, permissions: [...denials, ...within], ...caller };
}

/** Returns whether one of two patterns covers the other. If not, no resource matches both. */
function overlap(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

function distinct(rules: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(rules.map((all) => [JSON.stringify(all), all])).values()];
}
