import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { Command } from 'commander';
import { SERVICE_GROUPS } from './command-definition.js';
import { addOwnCommands } from './own-commands.js';
import type { CommandContext } from './command-context.js';

/** Adds the commands of a group, which all begin with its name. */
type AddCommands = (program: Command, context: CommandContext) => void;

/** A command loads what it needs: the check of a configuration does not wait for the whole application. */
const GROUPS: Readonly<Record<(typeof SERVICE_GROUPS)[number], () => Promise<AddCommands>>> = {
  admin: async () => (await import('./admin.commands.js')).addAdminCommands,
  audit: async () => (await import('./audit.commands.js')).addAuditCommands,
  backup: async () => (await import('./backup.commands.js')).addBackupCommands,
  config: async () => (await import('./config.commands.js')).addConfigCommands,
  export: async () => (await import('./transfer.commands.js')).addExportCommand,
  files: async () => (await import('./files.commands.js')).addFilesCommands,
  import: async () => (await import('./transfer.commands.js')).addImportCommand,
  keys: async () => {
    const { addKeysCommands } = await import('./keys.commands.js');
    const { addApiKeyCommands } = await import('./api-key.commands.js');
    return (program, context) => {
      addKeysCommands(program, context);
      addApiKeyCommands(program, context);
    };
  },
  init: async () => (await import('./init.commands.js')).addInitCommands,
  migrate: async () => (await import('./migrate.commands.js')).addMigrateCommands,
  promote: async () => (await import('./restore.commands.js')).addPromoteCommand,
  records: async () => (await import('./records.commands.js')).addRecordsCommands,
  restore: async () => (await import('./restore.commands.js')).addRestoreCommand,
  roles: async () => (await import('./roles.commands.js')).addRolesCommands,
  schema: async () => (await import('./schema.commands.js')).addSchemaCommands,
  'service-account': async () => (await import('./service-account.commands.js')).addServiceAccountCommands,
  user: async () => (await import('./user.commands.js')).addUserCommands,
};

/** Returns the command line: `npm run cli -- <command>`, with the commands of the group that is called, or all where it is none. */
export async function createProgram(argv: readonly string[], context: CommandContext): Promise<Command> {
  const program = new Command(context.application.isService ? 'lintel' : basename(argv[1] ?? 'app'))
    .description(
      'Administer a Lintel service. Commands work beside a running service, and without one; without a command it is started.',
    )
    .version(version(), '--version', 'print the version of Lintel')
    .exitOverride()
    .showHelpAfterError('(--help shows how)')
    .configureHelp({ sortSubcommands: true, showGlobalOptions: false });
  const [called = ''] = argv[2]?.split(':') ?? [];
  const group = SERVICE_GROUPS.find((name) => name === called && argv[2] !== called);
  for (const name of group === undefined ? SERVICE_GROUPS : [group]) (await GROUPS[name]())(program, context);
  addOwnCommands(program, context);
  program.addHelpText('after', variablesOf(context));
  program.commands.forEach((command) => command.exitOverride());
  return program;
}

/** Returns the variables of a definition; those of modules, and ours, are listed by `config:check`, which loads them. */
function variablesOf({ application: { variables } }: CommandContext): string {
  const rows = variables.flatMap((declared) => Object.entries(declared.variables));
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, { meaning }]) => `  ${name.padEnd(width)}  ${meaning}`);
  return ['', ...(lines.length === 0 ? [] : ['Variables of the application:', ...lines, ''])]
    .concat('config:check lists every variable, and what is in force.')
    .join('\n');
}

/** Returns the version in the package's own description, wherever the package lies. */
function version(): string {
  return (createRequire(import.meta.url)('lintel/package.json') as { version: string }).version;
}
