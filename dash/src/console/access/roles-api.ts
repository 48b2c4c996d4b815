import { ApiError } from '../../api/api-error.js';
import { answered, authorized } from '../../session/authorized.js';
import type { AccessRole } from './access-model.js';

const ROLES = '/api/content/role';

/** The roles that every service has. Their names are fixed, and they cannot be deleted. */
export const BUILT_IN: readonly string[] = ['admin', 'user', 'guest'];

/** The rules of a role for second factors. */
export const FACTOR_RULES = ['off', 'optional', 'required'] as const;

/** The fields of a role that its form writes. */
export type RoleValues = Required<Omit<AccessRole, 'id'>>;

const FIELDS = ['name', 'description', 'root', 'mfa', 'mfa_grace_days'] as const;

/** Returns the fields of roles that the page reads. Only root can write roles, and sees all of them. */
export const roleFields = (isRoot: boolean): string => (isRoot ? ['id', ...FIELDS].join() : 'id,name,root');

export const createRole = (values: RoleValues): Promise<unknown> => authorized('POST', ROLES, values);

/**
 * Updates the fields of a role that the form changed.
 *
 * @throws ApiError `record_changed` if another user has changed the role since.
 */
export async function updateRole({ id, ...read }: AccessRole, wanted: RoleValues): Promise<void> {
  const changed = FIELDS.filter((field) => wanted[field] !== read[field]);
  if (changed.length === 0) return;
  const path = `${ROLES}/${encodeURIComponent(id)}`;
  const { body, tag } = await answered<{ data: RoleValues }>('GET', path);
  if (FIELDS.some((field) => body.data[field] !== read[field]))
    throw new ApiError({ status: 412, code: 'record_changed', message: '' });
  const values = Object.fromEntries(changed.map((field) => [field, wanted[field]]));
  await authorized('PATCH', path, values, { headers: { 'If-Match': tag ?? '*' } });
}

export const deleteRole = (id: string): Promise<unknown> => authorized('DELETE', `${ROLES}/${encodeURIComponent(id)}`);
