/** Helpers and tables that other folders may import, in addition to the module, services, ports and types of users. */
export { ROLES_TOPIC } from './roles/role.entity.js';
export { optionalUsername, requiredEmail, usernameKey } from './account-fields.js';
export { mailAccount, type MailedAccount } from './account-mail.js';
export { USER_TOPIC } from './user.entity.js';
export { permissionFaults } from './roles/permission-faults.js';
export { newPassword, PASSWORD_LENGTH } from './passwords/password-rules.js';
export { assertMayTouch, assertRootRemains, isLastRoot, isRoot, lockRoot } from './root-accounts.js';
export { parseRoleFile } from './roles/role-file.js';
export { RoleSeeder, type SeedChange } from './roles/role-seeder.js';
