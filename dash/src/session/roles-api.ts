import { authorized } from './authorized.js';

/** A role that an account may have. */
export interface Role {
  readonly id: string;
  readonly name: string;
}

/** Under which key the roles are kept. */
export const ROLES = ['account', 'roles'];

/** Role of requests without an account. It is not given to accounts. */
export const GUEST_ROLE = 'guest';

/** Returns the roles that the caller can list. */
export const listRoles = async (): Promise<readonly Role[]> =>
  (
    await authorized<{ data: { items: readonly Role[] } }>(
      'GET',
      '/api/content/roles?select=id,name&sort=name&limit=100&cursor=',
    )
  ).data.items;
