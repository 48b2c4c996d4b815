import type { Command } from 'commander';
import { assertDistinct, DefinitionError } from '../../kernel/definition-error.js';
import type { CommandContext } from './command-context.js';
import type { CommandCall, CommandDefinition } from './command-definition.js';
import { print } from './output.js';

/** The groups of commands that the service has. */
export const SERVICE_GROUPS = ['admin', 'config', 'init', 'keys', 'migrate', 'roles', 'schema', 'user'] as const;

/** Adds the commands of an application's own. Throws as {@link assertCommands} does. */
export function addOwnCommands(program: Command, context: CommandContext): void {
  const { commands } = context.application;
  assertCommands(commands);
  for (const command of commands) addOwnCommand(program, context, command);
}

/**
 * Holds that the commands of an application can be called.
 *
 * @throws DefinitionError for what is no command, for a name that cannot be, and for one that is there already.
 */
export function assertCommands(commands: readonly CommandDefinition[]): void {
  const groups: readonly string[] = SERVICE_GROUPS;
  for (const command of commands) {
    const { name, run } = Object(command) as Partial<CommandDefinition>;
    if (typeof name !== 'string' || typeof run !== 'function')
      throw new DefinitionError('commands of the definition must be a list of what defineCommand made.');
    if (!/^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)+$/.test(name))
      throw new DefinitionError(`The command ${name} must be called by a group and what it does, as acme:import is.`);
    if (groups.includes(name.split(':')[0] ?? ''))
      throw new DefinitionError(`The command ${name} is in a group of the service: give it one of the application.`);
  }
  assertDistinct(
    commands.map(({ name }) => name),
    'Two commands are called',
  );
}

function addOwnCommand(program: Command, context: CommandContext, command: CommandDefinition): void {
  const added = program.command(command.name).description(command.description);
  for (const [argument, description] of Object.entries(command.arguments ?? {})) added.argument(argument, description);
  for (const [flags, description] of Object.entries(command.options ?? {})) added.option(flags, description);
  added.option('--json', 'print JSON').action(async () => {
    const options = added.opts<CommandCall['options']>();
    await context.withApplication((app) =>
      command.run({
        app,
        arguments: added.processedArgs as (string | undefined)[],
        options,
        print: (value, text) => print(options['json'] === true, value, text),
      }),
    );
  });
}
