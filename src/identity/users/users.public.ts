/** Helpers and tables that other folders may import, in addition to the module, services, ports and types of users. */
export { ROLES_TOPIC, USER_TOPIC } from './roles/built-in-roles.js';
export { requiredEmail } from './email-field.js';
export { mailAddressee, type MailedAccount } from './mail-addressee.js';
export { permissionFaults } from './roles/permission-faults.js';
export { newPassword, PASSWORD_LENGTH } from './passwords/password-rules.js';
export { assertMayTouch, assertRootRemains, isLastRoot, isRoot, lockRoot } from './root-accounts.js';
export { parseRoleFile } from './roles/role-file.js';
export { RoleSeeder, type SeedChange } from './roles/role-seeder.js';
export { optionalUsername, usernameKey } from './username.js';
