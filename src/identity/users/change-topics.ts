/** Topic of changes to any role or permission. */
export const ROLES_TOPIC = 'roles';
/** Topic of changes to an account that matter to its sessions: roles, activation, address, deletion. The key is the user's id. */
export const USER_TOPIC = 'user';
