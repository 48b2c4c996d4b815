import { authorized } from './authorized.js';

export interface Role {
  readonly id: string;
  readonly name: string;
}

export const ROLES = ['account', 'roles'];

/** Role of requests without an account. It is not assigned to accounts. */
export const GUEST_ROLE = 'guest';

export const listRoles = async (): Promise<readonly Role[]> =>
  (
    await authorized<{ data: { items: readonly Role[] } }>(
      'GET',
      '/api/content/roles?select=id,name&sort=name&limit=100&cursor=',
    )
  ).data.items;
