import type { KeyScope } from './principal.types.js';

/** A permission as it is kept, or that of a key: a resource or a prefix with a dot boundary, and what it says. */
export interface PermissionRule extends KeyScope {
  /** It holds as far as this one does, too. */
  readonly within?: PermissionRule;
}

/** Permissions of all roles of a principal. */
export interface PrincipalPermissions {
  /** True if one of the roles may do everything. */
  readonly root: boolean;
  readonly permissions: readonly PermissionRule[];
  /** Names of the roles, in alphabetical order. */
  readonly roles: readonly string[];
  /** Level of the session, and what was proven for it: rules see them. */
  readonly level?: number;
  readonly amr?: readonly string[];
}

/**
 * Decision of permissions on a resource: `allow`, `deny` (also if nothing is said), or the rule expressions: those of one list must
 * all hold.
 */
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

/** Returns whether a permission, and that within which it holds, covers a resource. */
export function speaksOf({ resource: pattern, within }: PermissionRule, resource: string): boolean {
  return covers(pattern, resource) && (within === undefined || speaksOf(within, resource));
}

/** Returns the values of a permission and of that within which it holds. */
export function valuesOf({ value, within }: PermissionRule): readonly string[] {
  return within === undefined ? [value] : [value, ...valuesOf(within)];
}

/** Resources that permissions open and deny whatever the records are, or prefixes of them. Deny beats allow. */
export interface RoutePatterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Returns whether patterns open a resource. */
export function isOpenBy({ allow, deny }: RoutePatterns, resource: string): boolean {
  return allow.some((pattern) => covers(pattern, resource)) && !deny.some((pattern) => covers(pattern, resource));
}

/**
 * Returns the patterns of permissions at this moment.
 *
 * @param holds whether all of some rules hold.
 * @param closed patterns that are denied in any case.
 */
export function patternsOf(
  { root, permissions }: Pick<PrincipalPermissions, 'root' | 'permissions'>,
  holds: (rules: readonly string[]) => boolean,
  closed: readonly string[],
): RoutePatterns {
  const allow = root ? ['*'] : permissions.filter((one) => isGranted(one, holds)).map(narrowestOf);
  const denied = root ? [] : permissions.filter(({ value }) => value === 'deny').map(({ resource }) => resource);
  const deny = [...denied, ...closed.filter((name) => allow.some((pattern) => overlap(pattern, name)))];
  return { allow: [...new Set(allow)].sort(), deny: [...new Set(deny)].sort() };
}

function isGranted(permission: PermissionRule, holds: (rules: readonly string[]) => boolean): boolean {
  const rules = valuesOf(permission).filter((value) => value !== 'allow');
  return !rules.includes('deny') && (rules.length === 0 || holds(rules));
}

/** Returns the pattern that a permission comes to within others. */
function narrowestOf({ resource, within }: PermissionRule): string {
  if (within === undefined) return resource;
  const outer = narrowestOf(within);
  return covers(resource, outer) ? outer : resource;
}

/** Decides over all permissions of all roles: deny beats allow, allow beats rules, rules add up (CONTRACT §5). */
export function decide(permissions: readonly PermissionRule[], resource: string): Decision {
  const covering = permissions.filter((permission) => speaksOf(permission, resource)).map(valuesOf);
  if (covering.some((values) => values.includes('deny'))) return DENY;
  const rules = covering.map((values) => values.filter((value) => value !== 'allow'));
  if (rules.some((all) => all.length === 0)) return ALLOW;
  return rules.length === 0 ? DENY : { kind: 'rules', rules: distinct(rules) };
}

/**
 * Cuts what somebody may do to scopes (CONTRACT §11): each permission holds within each scope that it meets, and what one of
 * them denies is denied. Nobody is root within scopes.
 */
export function cutTo(scopes: readonly PermissionRule[], held: PrincipalPermissions): PrincipalPermissions {
  const { root, permissions, ...who } = held;
  if (root) return { root: false, permissions: scopes, ...who };
  const denials = [...permissions, ...scopes].filter(({ value }) => value === 'deny');
  const grants = permissions.filter(({ value }) => value !== 'deny');
  const within = scopes
    .filter(({ value }) => value !== 'deny')
    .flatMap((scope) =>
      grants.filter((grant) => overlap(grant.resource, scope.resource)).map((grant) => ({ ...grant, within: scope })),
    );
  return { root: false, permissions: [...denials, ...within], ...who };
}

/** Returns whether one of two patterns covers the other; if not, there is nothing that both cover. */
function overlap(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one);
}

function distinct(rules: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(rules.map((all) => [JSON.stringify(all), all])).values()];
}
