/** Plain helpers and tables of users that other folders use, beside its module, services, ports and types. */
export { ROLES_TOPIC, USER_TOPIC } from './built-in-roles.js';
export { requiredEmail } from './email-field.js';
export { mailAddressee, type MailedAccount } from './mail-addressee.js';
export { permissionFaults } from './permission-faults.js';
export { newPassword, PASSWORD_LENGTH } from './password-rules.js';
export { assertMayTouch, assertRootRemains, isLastRoot, isRoot, lockRoot } from './root-accounts.js';
export { parseRoleFile } from './role-file.js';
export { RoleSeeder, type SeedChange } from './role-seeder.js';
export { optionalUsername, usernameKey } from './username.js';
