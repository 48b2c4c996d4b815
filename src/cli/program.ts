import { Command } from 'commander';
import { addAdminCommands } from './admin.commands.js';
import { addConfigCommands } from './config.commands.js';
import { addMigrateCommands } from './migrate.commands.js';
import { addRolesCommands } from './roles.commands.js';
import { addSchemaCommands } from './schema.commands.js';
import { addUserCommands } from './user.commands.js';

/** The command line: `npm run cli -- <command>`. */
export function createProgram(): Command {
  const program = new Command('lintel')
    .description('Administer a Lintel service. Commands work beside a running service, and without one.')
    .exitOverride()
    .showHelpAfterError('(--help shows how)')
    .configureHelp({ sortSubcommands: true, showGlobalOptions: false });
  for (const add of [
    addRolesCommands,
    addAdminCommands,
    addUserCommands,
    addMigrateCommands,
    addConfigCommands,
    addSchemaCommands,
  ])
    add(program);
  program.commands.forEach((command) => command.exitOverride());
  return program;
}
