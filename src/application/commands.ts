import type { CommandGroups } from '../platform/cli/command-context.js';

/** Commands by the first part of their name. They are imported on demand, so `config:check` does not load the application. */
export const SERVICE_COMMANDS: CommandGroups = {
  admin: [async () => (await import('../edge/cli/user.commands.js')).addAdminCommands],
  audit: [async () => (await import('../features/audit/audit.commands.js')).addAuditCommands],
  backup: [async () => (await import('../edge/cli/backup.commands.js')).addBackupCommands],
  config: [async () => (await import('../edge/cli/config.commands.js')).addConfigCommands],
  export: [async () => (await import('../features/transfer/transfer.commands.js')).addExportCommand],
  files: [async () => (await import('../features/files/files.commands.js')).addFilesCommands],
  import: [async () => (await import('../features/transfer/transfer.commands.js')).addImportCommand],
  init: [async () => (await import('../edge/cli/init.commands.js')).addInitCommands],
  keys: [
    async () => (await import('../edge/cli/keys.commands.js')).addKeysCommands,
    async () => (await import('../features/api-keys/api-key.commands.js')).addApiKeyCommands,
  ],
  migrate: [async () => (await import('../edge/cli/migrate.commands.js')).addMigrateCommands],
  promote: [async () => (await import('../edge/cli/backup.commands.js')).addPromoteCommand],
  records: [async () => (await import('../edge/cli/records.commands.js')).addRecordsCommands],
  restore: [async () => (await import('../edge/cli/backup.commands.js')).addRestoreCommand],
  roles: [async () => (await import('../edge/cli/roles.commands.js')).addRolesCommands],
  schema: [
    async () => (await import('../edge/cli/schema.commands.js')).addSchemaCommands,
    async () => (await import('../edge/cli/advise.commands.js')).addAdviseCommand,
    async () => (await import('../features/convert/convert.commands.js')).addConvertCommand,
  ],
  'service-account': [async () => (await import('../features/api-keys/api-key.commands.js')).addServiceAccountCommands],
  user: [async () => (await import('../edge/cli/user.commands.js')).addUserCommands],
};
