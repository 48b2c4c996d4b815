import type { RoleDefinition } from './role-file.js';

/** Topic of changes to any role or permission. */
export const ROLES_TOPIC = 'roles';

/** Topic of changes to an account that matter to its sessions: roles, activation, address, deletion. The key is the user's id. */
export const USER_TOPIC = 'user';

/** The roles that every installation has (CONTRACT §5). They are made at the first start; what is changed later stays. */
export const BUILT_IN_ROLES: readonly RoleDefinition[] = [
  { name: 'admin', description: 'May do everything', root: true, permissions: [] },
  {
    name: 'user',
    description: 'Every signed-in account',
    root: false,
    permissions: [{ resource: 'content.user.get', value: 'record.id == auth.id', fields: null }],
  },
  { name: 'guest', description: 'Requests without a token', root: false, permissions: [] },
];
