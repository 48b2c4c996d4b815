import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import { assertCommands, type CommandCall, type CommandDefinition } from './command-definition.js';
import { print } from './output.js';

/** Adds the commands of an application's own. Throws as {@link assertCommands} does. */
export function addOwnCommands(program: Command, context: CommandContext): void {
  const { commands } = context.application;
  assertCommands(commands);
  for (const command of commands) addOwnCommand(program, context, command);
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
