import { ApiError } from '../../api/api-error.js';
import { requestWithMeta, authorized } from '../../session/authorized.js';
import type { AccessRole } from './access-model.js';

const ROLES = '/api/content/role';

/** Built-in roles. Their names are fixed, and they cannot be deleted. */
export const BUILT_IN: readonly string[] = ['admin', 'user', 'guest'];

export const FACTOR_RULES = ['off', 'optional', 'required'] as const;

export type RoleValues = Required<Omit<AccessRole, 'id'>>;

const FIELDS = ['name', 'description', 'root', 'mfa', 'mfa_grace_days'] as const;

/** Returns the role fields to select. Only root can write roles and read all their fields. */
export const roleFields = (isRoot: boolean): string => (isRoot ? ['id', ...FIELDS].join() : 'id,name,root');

export const createRole = (values: RoleValues): Promise<unknown> => authorized('POST', ROLES, values);

/**
 * Updates the fields of a role that the form changed.
 *
 * @throws ApiError `record_changed` if another user has changed the role since.
 */
export async function updateRole({ id, ...read }: AccessRole, edited: RoleValues): Promise<void> {
  const changed = FIELDS.filter((field) => edited[field] !== read[field]);
  if (changed.length === 0) return;
  const path = `${ROLES}/${encodeURIComponent(id)}`;
  const { body, tag } = await requestWithMeta<{ data: RoleValues }>('GET', path);
  if (FIELDS.some((field) => body.data[field] !== read[field]))
    throw new ApiError({ status: 412, code: 'record_changed', message: '' });
  const values = Object.fromEntries(changed.map((field) => [field, edited[field]]));
  await authorized('PATCH', path, values, { headers: { 'If-Match': tag ?? '*' } });
}

export const deleteRole = (id: string): Promise<unknown> => authorized('DELETE', `${ROLES}/${encodeURIComponent(id)}`);
