import type { AccessRole, Grant, Permission } from './access-model.js';

/** Pending change of a permission. `grant` is null if the permission is to be deleted. */
export interface GrantChange {
  readonly role: string;
  readonly resource: string;
  readonly grant: Grant | null;
}

export type Draft = ReadonlyMap<string, GrantChange>;

export const NO_CHANGES: Draft = new Map();

/** A pending change with the stored permission; `before` is null for a new one. */
export interface Change extends GrantChange {
  readonly before: Permission | null;
}

export interface Operation {
  readonly op: 'create' | 'update' | 'delete';
  readonly schema: 'permission';
  readonly id?: string;
  readonly data?: object;
  readonly if_match?: string;
}

const MAX_OPERATIONS = 50;

const keyOf = (role: string, resource: string): string => `${role} ${resource}`;

function permissionOn(permissions: readonly Permission[], role: string, resource: string): Permission | null {
  return permissions.find((item) => item.role === role && item.resource === resource) ?? null;
}

/** Returns the draft with one more change. A change that equals the stored permission is dropped. */
export function withGrant(draft: Draft, permissions: readonly Permission[], change: GrantChange): Draft {
  const next = new Map(draft);
  const before = permissionOn(permissions, change.role, change.resource);
  if (sameGrant(before, change.grant)) next.delete(keyOf(change.role, change.resource));
  else next.set(keyOf(change.role, change.resource), change);
  return next;
}

/** Returns the pending grant, or the stored one if the draft does not change it. */
export function grantOf(
  draft: Draft,
  permissions: readonly Permission[],
  role: string,
  resource: string,
): Grant | null {
  const change = draft.get(keyOf(role, resource));
  return change === undefined ? permissionOn(permissions, role, resource) : change.grant;
}

/** Returns the permissions as they will be after saving. New permissions have an empty id. */
export function permissionsOf(draft: Draft, permissions: readonly Permission[]): readonly Permission[] {
  const unchanged = permissions.filter(({ role, resource }) => !draft.has(keyOf(role, resource)));
  const changed = [...draft.values()].flatMap(({ role, resource, grant }) =>
    grant === null ? [] : [{ id: '', role, resource, ...grant }],
  );
  return [...unchanged, ...changed];
}

export function changesOf(
  draft: Draft,
  permissions: readonly Permission[],
  roles: readonly Pick<AccessRole, 'id' | 'name'>[],
): readonly Change[] {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const sortKey = ({ role, resource }: GrantChange): string => `${names.get(role) ?? ''} ${resource}`;
  return [...draft.values()]
    .map((change) => ({ ...change, before: permissionOn(permissions, change.role, change.resource) }))
    .filter(({ before, grant }) => !sameGrant(before, grant))
    .sort((one, other) => sortKey(one).localeCompare(sortKey(other)));
}

/** Returns the write operations in batches of {@link MAX_OPERATIONS}. @param tags ETags of the stored permissions, by id. */
export function operationsOf(
  changes: readonly Change[],
  tags: ReadonlyMap<string, string>,
): readonly (readonly Operation[])[] {
  const all = changes.flatMap(({ role, resource, grant, before }): readonly Operation[] => {
    if (before === null)
      return grant === null
        ? []
        : [{ op: 'create', schema: 'permission', data: { role: { id: role }, resource, ...grant } }];
    const tag = tags.get(before.id) ?? '*';
    if (grant === null) return [{ op: 'delete', schema: 'permission', id: before.id, if_match: tag }];
    return [{ op: 'update', schema: 'permission', id: before.id, data: { ...grant }, if_match: tag }];
  });
  return Array.from({ length: Math.ceil(all.length / MAX_OPERATIONS) }, (_, index) =>
    all.slice(index * MAX_OPERATIONS, (index + 1) * MAX_OPERATIONS),
  );
}

/** Adds changes that copy all permissions of a role on a schema to another role, another schema, or both. */
export function withCopy(
  draft: Draft,
  permissions: readonly Permission[],
  from: { readonly role: string; readonly schema: string },
  to: { readonly role: string; readonly schema: string },
): Draft {
  const [prefix, target] = [`content.${from.schema}.`, `content.${to.schema}.`];
  const current = permissionsOf(draft, permissions);
  const actions = new Set(
    current
      .filter(
        ({ role, resource }) =>
          (role === from.role && resource.startsWith(prefix)) || (role === to.role && resource.startsWith(target)),
      )
      .map(({ resource }) => resource.slice(resource.lastIndexOf('.') + 1)),
  );
  return [...actions].reduce((next, action) => {
    const grant = grantOf(draft, permissions, from.role, prefix + action);
    const copy = grant && { value: grant.value, fields: grant.fields };
    return withGrant(next, permissions, { role: to.role, resource: target + action, grant: copy });
  }, draft);
}

export interface StoredPermission extends Grant {
  readonly role_id: string | null;
  readonly resource: string;
}

/** Returns whether a stored permission still has the same role, resource and grant. */
export function isUnchanged(before: Permission, now: StoredPermission): boolean {
  return before.role === now.role_id && before.resource === now.resource && sameGrant(before, now);
}

function sameGrant(one: Grant | null, other: Grant | null): boolean {
  if (one === null || other === null) return one === other;
  return one.value === other.value && fieldsKey(one) === fieldsKey(other);
}

function fieldsKey({ fields }: Grant): string {
  const { read, write } = fields ?? {};
  return JSON.stringify([read === undefined ? null : [...read].sort(), write === undefined ? null : [...write].sort()]);
}
