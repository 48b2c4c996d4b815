import type { AccessRole, Grant, Permission } from './access-model.js';

/** Permission as it is to be: null if it is to go. */
export interface Wanted {
  readonly role: string;
  readonly resource: string;
  readonly grant: Grant | null;
}

/** Changes that are to be made, by role and resource. */
export type Draft = ReadonlyMap<string, Wanted>;

export const NO_CHANGES: Draft = new Map();

/** A change that has not been made: what there is, and what is to be. */
export interface Change extends Wanted {
  readonly before: Permission | null;
}

/** An operation of `POST /api/batch`. */
export interface Operation {
  readonly op: 'create' | 'update' | 'delete';
  readonly schema: 'permission';
  readonly id?: string;
  readonly data?: object;
  readonly if_match?: string;
}

/** Writes of one batch at most. */
const MOST_OPERATIONS = 50;

const keyOf = (role: string, resource: string): string => `${role} ${resource}`;

/** Returns the permission that a role has on exactly this resource. */
function permissionOn(permissions: readonly Permission[], role: string, resource: string): Permission | null {
  return permissions.find((one) => one.role === role && one.resource === resource) ?? null;
}

/** Returns the draft with one more change; without it where nothing would change. */
export function withGrant(draft: Draft, permissions: readonly Permission[], wanted: Wanted): Draft {
  const next = new Map(draft);
  const before = permissionOn(permissions, wanted.role, wanted.resource);
  if (sameGrant(before, wanted.grant)) next.delete(keyOf(wanted.role, wanted.resource));
  else next.set(keyOf(wanted.role, wanted.resource), wanted);
  return next;
}

/** Returns what a permission says, or is to say once the draft is saved. */
export function grantOf(
  draft: Draft,
  permissions: readonly Permission[],
  role: string,
  resource: string,
): Grant | null {
  const wanted = draft.get(keyOf(role, resource));
  return wanted === undefined ? permissionOn(permissions, role, resource) : wanted.grant;
}

/** Returns the permissions as they will be. What is new has no id yet. */
export function drafted(draft: Draft, permissions: readonly Permission[]): readonly Permission[] {
  const kept = permissions.filter(({ role, resource }) => !draft.has(keyOf(role, resource)));
  const wanted = [...draft.values()].flatMap(({ role, resource, grant }) =>
    grant === null ? [] : [{ id: '', role, resource, ...grant }],
  );
  return [...kept, ...wanted];
}

/** Returns the changes in the order of roles and resources, as they are shown and sent. */
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

/** Returns the writes, in batches of as many as one takes. @param tags of the permissions that there are, by id. */
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

/** Returns what copies everything that a role may do with a schema to another role, another schema, or both. */
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

/** A permission as it is read by its key. */
export interface StoredPermission extends Grant {
  readonly role_id: string | null;
  readonly resource: string;
}

/** Returns whether a permission still says the same, of the same resource of the same role. */
export function isAsRead(before: Permission, now: StoredPermission): boolean {
  return before.role === now.role_id && before.resource === now.resource && sameGrant(before, now);
}

/** Returns whether two permissions say the same. */
function sameGrant(one: Grant | null, other: Grant | null): boolean {
  if (one === null || other === null) return one === other;
  return one.value === other.value && listed(one) === listed(other);
}

function listed({ fields }: Grant): string {
  const { read, write } = fields ?? {};
  return JSON.stringify([read === undefined ? null : [...read].sort(), write === undefined ? null : [...write].sort()]);
}
