/** Actions on records, in the order in which they are shown. */
export const ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'] as const;

/** One of {@link ACTIONS}. */
export type Action = (typeof ACTIONS)[number];

/** Fields that a permission opens; all of them where a list is not there. */
export interface PermissionFields {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** Content of a permission: `allow`, `deny` or a rule, and of which fields. */
export interface Grant {
  readonly value: string;
  readonly fields: PermissionFields | null;
}

/** A permission as it was read. */
export interface Permission extends Grant {
  readonly id: string;
  readonly role: string;
  readonly resource: string;
}

/** Role and schema that are looked at; the schema is empty for everything else. */
export interface AccessSearch {
  readonly role?: string;
  readonly schema?: string;
  /** A schema, and the key of a record of it, that is asked about. */
  readonly of?: string;
  readonly about?: string;
}

/** A role as it was read. */
export interface AccessRole {
  readonly id: string;
  readonly name: string;
  readonly root: boolean;
  /** Read for callers who can change it, as all that follows. */
  readonly description?: string | null;
  /** Rule for second factors: `off`, `optional` or `required`. */
  readonly mfa?: string;
  /** Days for which a user of the role may do without a second factor that is required. */
  readonly mfa_grace_days?: number;
}

/** Verdict of all that a role says: a rule if records are asked one by one. */
export type Verdict = 'allow' | 'rule' | 'none';

/** Effect of a role, and the permission that says so; several if rules add up. */
export interface Effect {
  readonly verdict: Verdict;
  readonly by: readonly Permission[];
}

export const resourceOf = (schema: string, action: Action): string => `content.${schema}.${action}`;

/** Returns whether a permission on a pattern speaks of a resource: the same name, `*`, or a prefix that ends at a dot. */
function covers(pattern: string, resource: string): boolean {
  return (
    pattern === resource || pattern === '*' || (pattern.endsWith('.*') && resource.startsWith(pattern.slice(0, -1)))
  );
}

/** Returns what the permissions of one role come to: deny beats allow, allow beats rules, rules add up (CONTRACT §5). */
export function effectOf(permissions: readonly Permission[], resource: string): Effect {
  const said = permissions.filter((one) => covers(one.resource, resource));
  const denied = said.filter(({ value }) => value === 'deny');
  if (denied.length > 0) return { verdict: 'none', by: denied };
  const allowed = said.filter(({ value }) => value === 'allow');
  if (allowed.length > 0) return { verdict: 'allow', by: allowed };
  return { verdict: said.length > 0 ? 'rule' : 'none', by: said };
}

/** Resources that a role speaks of and that are not those of one action on one of the schemas. */
export function otherResources(
  permissions: readonly { readonly resource: string }[],
  schemas: readonly string[],
): readonly string[] {
  const shown = new Set(schemas.flatMap((schema) => ACTIONS.map((action) => resourceOf(schema, action))));
  return [...new Set(permissions.map(({ resource }) => resource))].filter((resource) => !shown.has(resource)).sort();
}

export const isRule = (value: string): boolean => value !== 'allow' && value !== 'deny';

/** Permissions of a role: all of them, that of one resource by its name, and those of many. */
export interface SaidByRole {
  readonly all: readonly Permission[];
  readonly byName: ReadonlyMap<string, readonly Permission[]>;
  readonly patterns: readonly Permission[];
}

/** Returns what each role says, by its id. */
export function saidByRoles(permissions: readonly Permission[]): ReadonlyMap<string, SaidByRole> {
  const said = new Map<string, { all: Permission[]; byName: Map<string, Permission[]>; patterns: Permission[] }>();
  for (const one of permissions) {
    const role = said.get(one.role) ?? { all: [], byName: new Map<string, Permission[]>(), patterns: [] };
    said.set(one.role, role);
    role.all.push(one);
    if (one.resource.endsWith('*')) role.patterns.push(one);
    else role.byName.set(one.resource, [...(role.byName.get(one.resource) ?? []), one]);
  }
  return said;
}

/** Returns the verdicts of {@link effectOf} on all actions of a schema, in the order of {@link ACTIONS}, as one text. */
export function verdictsOf(said: SaidByRole | undefined, schema: string): string {
  const { byName, patterns = [] } = said ?? {};
  return ACTIONS.map((action) => {
    const resource = resourceOf(schema, action);
    return effectOf([...(byName?.get(resource) ?? []), ...patterns], resource).verdict;
  }).join(' ');
}
