import type { Command } from 'commander';
import { DefinitionError } from '../../kernel/definition-error.js';
import type { CommandContext } from './command-context.js';
import type { CommandCall, CommandDefinition } from './command-definition.js';
import { print } from './output.js';

/**
 * Adds the commands of an application's own.
 *
 * @param groups of the service, which are taken.
 * @throws DefinitionError for a name that cannot be, or that is there already.
 */
export function addOwnCommands(program: Command, context: CommandContext, groups: readonly string[]): void {
  const names = new Set<string>();
  for (const command of context.application.commands) {
    const { name } = command;
    if (!/^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)+$/.test(name))
      throw new DefinitionError(`The command ${name} must be called by a group and what it does, as acme:import is.`);
    if (groups.includes(name.split(':')[0] ?? ''))
      throw new DefinitionError(`The command ${name} is in a group of the service: give it one of the application.`);
    if (names.has(name)) throw new DefinitionError(`Two commands are called ${name}: one alone may.`);
    names.add(name);
    addOwnCommand(program, context, command);
  }
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
