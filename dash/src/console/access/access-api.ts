import { ApiError } from '../../api/api-error.js';
import type { AccessExplanation, PermissionVerdict } from '../../api/openapi.js';
import { requestWithMeta, authorized } from '../../session/authorized.js';
import { type Change, type Draft, isUnchanged, operationsOf, type StoredPermission } from './access-draft.js';
import { roleFields } from './roles-api.js';
import type { AccessRole, Action, Grant, Permission } from './access-model.js';

import type { AccessSubject } from './subject-picker.js';

export const ACCESS = ['access'];

export interface Access {
  readonly roles: readonly AccessRole[];
  readonly permissions: readonly Permission[];
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

interface ReadPermission extends Grant {
  readonly id: string;
  readonly role: { readonly id: string } | null;
  readonly resource: string;
}

const PERMISSIONS = '/api/content/permission';

/** @param isRoot whether the caller can do everything. */
export async function getAccess(isRoot: boolean): Promise<Access> {
  const [roles, permissions] = await Promise.all([
    all<AccessRole>(`/api/content/role?select=${roleFields(isRoot)}&sort=name`),
    all<ReadPermission>(`${PERMISSIONS}?select=id,role.id,resource,value,fields&sort=resource`),
  ]);
  return { roles, permissions: permissions.flatMap(read) };
}

function read({ role, ...permission }: ReadPermission): readonly Permission[] {
  return role === null ? [] : [{ ...permission, role: role.id }];
}

async function all<T>(path: string): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<T> = await pageOf(path, cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

async function pageOf<T>(path: string, cursor: string): Promise<Page<T>> {
  const query = `${path}&limit=100&cursor=${encodeURIComponent(cursor)}`;
  return (await authorized<{ data: Page<T> }>('GET', query)).data;
}

/** Validates the permissions of a draft. A fault refers to its permission by index, in the order of the draft. */
export async function checkChanges(draft: Draft): Promise<PermissionVerdict> {
  const permissions = [...draft.values()].flatMap(({ resource, grant }) =>
    grant === null ? [] : [{ resource, ...grant }],
  );
  if (permissions.length === 0) return { valid: true, faults: [] };
  return (await authorized<{ data: PermissionVerdict }>('POST', '/api/access/check', { permissions })).data;
}

/**
 * Saves the changes in batches of 50, each one transaction. Compares the permissions with the stored ones first.
 *
 * @returns false if another user has changed one of the permissions since they were read. Nothing is saved then.
 */
export async function saveChanges(changes: readonly Change[]): Promise<boolean> {
  const tags = new Map<string, string>();
  for (const { before } of changes) {
    if (before === null) continue;
    const tag = await tagOf(before);
    if (tag === null) return false;
    tags.set(before.id, tag);
  }
  for (const operations of operationsOf(changes, tags)) await authorized('POST', '/api/batch', { operations });
  return true;
}

/** Returns the ETag of a permission, or `*` if a proxy removed it; null if the permission has changed or was deleted. */
async function tagOf(before: Permission): Promise<string | null> {
  try {
    const path = `${PERMISSIONS}/${encodeURIComponent(before.id)}`;
    const { body, tag } = await requestWithMeta<{ data: StoredPermission }>('GET', path);
    // Without a tag, `*` is safe enough: the values have just been compared.
    return isUnchanged(before, body.data) ? (tag ?? '*') : null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found') return null;
    throw error;
  }
}

/** Parameters of an access explanation: the principal, the action and a record id, which may be empty. */
export interface Question {
  readonly subject: AccessSubject;
  readonly schema: string;
  readonly action: Action;
  readonly id: string;
}

export async function explain({ subject, schema, action, id }: Question): Promise<AccessExplanation> {
  const principal =
    subject.kind === 'guest'
      ? { guest: true }
      : subject.kind === 'role'
        ? { role: subject.name }
        : { user_id: await findPerson(subject.name) };
  const body = { ...principal, schema, action, ...(id !== '' && { id }) };
  return (await authorized<{ data: AccessExplanation }>('POST', '/api/access/explain', body)).data;
}

/** Returns the id of the account with an e-mail address. @throws ApiError `principal_unknown` if the caller can read no such account. */
export async function findPerson(address: string): Promise<string> {
  const filter = JSON.stringify({ email: address.trim().toLowerCase() });
  const query = new URLSearchParams({ filter, select: 'id', limit: '1', count: 'none' });
  const { data } = await authorized<{ data: { items: readonly { readonly id: string }[] } }>(
    'GET',
    `/api/content/users?${query.toString()}`,
  );
  const [found] = data.items;
  if (found === undefined) throw new ApiError({ status: 404, code: 'principal_unknown', message: '' });
  return found.id;
}
