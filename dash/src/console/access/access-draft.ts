import type { AccessRole, Grant, Permission } from './access-model.js';

/** Pending change of a permission. `grant` is null if the permission is to be deleted. */
export interface Wanted {
  readonly role: string;
  readonly resource: string;
  readonly grant: Grant | null;
}

export type Draft = ReadonlyMap<string, Wanted>;

export const NO_CHANGES: Draft = new Map();

/** A pending change with the stored permission; `before` is null for a new one. */
export interface Change extends Wanted {
  readonly before: Permission | null;
}

export interface Operation {
  readonly op: 'create' | 'update' | 'delete';
  readonly schema: 'permission';
  readonly id?: string;
  readonly data?: object;
  readonly if_match?: string;
}

const MOST_OPERATIONS = 50;

const keyOf = (role: string, resource: string): string => `${role} ${resource}`;

function permissionOn(permissions: readonly Permission[], role: string, resource: string): Permission | null {
  return permissions.find((one) => one.role === role && one.resource === resource) ?? null;
}

/** Returns the draft with one more change. A change that equals the stored permission is dropped. */
export function withGrant(draft: Draft, permissions: readonly Permission[], wanted: Wanted): Draft {
  const next = new Map(draft);
  const before = permissionOn(permissions, wanted.role, wanted.resource);
  if (sameGrant(before, wanted.grant)) next.delete(keyOf(wanted.role, wanted.resource));
  else next.set(keyOf(wanted.role, wanted.resource), wanted);
  return next;
}

/** Returns the pending grant, or the stored one if the draft does not change it. */
export function grantOf(
  draft: Draft,
  permissions: readonly Permission[],
  role: string,
  resource: string,
): Grant | null {
  const wanted = draft.get(keyOf(role, resource));
  return wanted === undefined ? permissionOn(permissions, role, resource) : wanted.grant;
}

/** Returns the permissions as they will be after saving. New permissions have an empty id. */
export function drafted(draft: Draft, permissions: readonly Permission[]): readonly Permission[] {
  const kept = permissions.filter(({ role, resource }) => !draft.has(keyOf(role, resource)));
  const wanted = [...draft.values()].flatMap(({ role, resource, grant }) =>
    grant === null ? [] : [{ id: '', role, resource, ...grant }],
  );
  return [...kept, ...wanted];
}

export function changesOf(
  draft: Draft,
  permissions: readonly Permission[],
  roles: readonly Pick<AccessRole, 'id' | 'name'>[],
): readonly Change[] {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const place = ({ role, resource }: Wanted): string => `${names.get(role) ?? ''} ${resource}`;
  return [...draft.values()]
    .map((wanted) => ({ ...wanted, before: permissionOn(permissions, wanted.role, wanted.resource) }))
    .filter(({ before, grant }) => !sameGrant(before, grant))
    .sort((one, other) => place(one).localeCompare(place(other)));
}

/** Returns the write operations in batches of {@link MOST_OPERATIONS}. @param tags ETags of the stored permissions, by id. */
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
  return Array.from({ length: Math.ceil(all.length / MOST_OPERATIONS) }, (_, at) =>
    all.slice(at * MOST_OPERATIONS, (at + 1) * MOST_OPERATIONS),
  );
}

/** Adds changes that copy all permissions of a role on a schema to another role, another schema, or both. */
export function copied(
  draft: Draft,
  permissions: readonly Permission[],
  from: { readonly role: string; readonly schema: string },
  to: { readonly role: string; readonly schema: string },
): Draft {
  const [prefix, target] = [`content.${from.schema}.`, `content.${to.schema}.`];
  const there = drafted(draft, permissions);
  const actions = new Set(
    there
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
export function isAsRead(before: Permission, now: StoredPermission): boolean {
  return before.role === now.role_id && before.resource === now.resource && sameGrant(before, now);
}

function sameGrant(one: Grant | null, other: Grant | null): boolean {
  if (one === null || other === null) return one === other;
  return one.value === other.value && listed(one) === listed(other);
}

function listed({ fields }: Grant): string {
  const { read, write } = fields ?? {};
  return JSON.stringify([read === undefined ? null : [...read].sort(), write === undefined ? null : [...write].sort()]);
}
