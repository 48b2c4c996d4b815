import type { RoleDefinition } from './role-file.js';

/** Topic of changes of roles and permissions. */
export const ROLES_TOPIC = 'roles';

/** Topic of account changes that affect its sessions: roles, activation, address, deletion. The key is the user id. */
export const USER_TOPIC = 'user';

/** Roles of every installation (CONTRACT §5). They are created at the first start; later changes are kept. */
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
