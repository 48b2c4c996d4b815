import 'reflect-metadata';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { Command, CommanderError } from 'commander';
import { AppError } from '../../kernel/errors/app-error.js';
import { type CommandApplication, CommandContext } from './command-context.js';
import { CommandError, print } from './cli.public.js';
import { assertCommands, type CommandCall, type CommandDefinition } from './command-definition.js';

/** Runs the command line, and sets the exit code: 0 success, 1 failure, 2 invalid usage. */
export async function runProgram(argv: readonly string[], application: CommandApplication): Promise<void> {
  try {
    const program = await createProgram(argv, new CommandContext(application));
    await program.parseAsync([...argv]);
    process.exitCode ??= 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`${await describe(error, application)}\n`);
    process.exitCode = 1;
  }
}

async function describe(error: unknown, application: CommandApplication): Promise<string> {
  if (error instanceof CommandError || error instanceof AppError) return error.message;
  return application.describeFault(error);
}

/**
 * Creates the command line: `npm run cli -- <command>`. It loads only the group of the called command, or all groups for other input. Throws
 * as {@link assertCommands} does.
 */
export async function createProgram(argv: readonly string[], context: CommandContext): Promise<Command> {
  const program = new Command(context.application.isService ? 'lintel' : basename(argv[1] ?? 'app'))
    .description(
      'Administer a Lintel service. Commands work with and without a running service. Without a command, the service is started.',
    )
    .version(version(), '--version', 'print the version of Lintel')
    .exitOverride()
    .showHelpAfterError('(use --help for usage)')
    .configureHelp({ sortSubcommands: true, showGlobalOptions: false });
  const { commands, groups } = context.application;
  const [called = ''] = argv[2]?.split(':') ?? [];
  const isOne = Object.hasOwn(groups, called) && argv[2] !== called;
  for (const loaders of isOne ? [groups[called] ?? []] : Object.values(groups))
    for (const load of loaders) (await load())(program, context);
  assertCommands(commands, Object.keys(groups));
  for (const command of commands) addOwnCommand(program, context, command);
  program.addHelpText('after', variablesOf(context));
  program.commands.forEach((command) => command.exitOverride());
  return program;
}

/** Help text with the variables of the definition. `config:check` lists all variables, because it loads the modules. */
function variablesOf({ application: { variables } }: CommandContext): string {
  const rows = variables.flatMap((declared) => Object.entries(declared.variables));
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, { meaning }]) => `  ${name.padEnd(width)}  ${meaning}`);
  return ['', ...(lines.length === 0 ? [] : ['Variables of the application:', ...lines, ''])]
    .concat('config:check lists all variables and their values in effect.')
    .join('\n');
}

function version(): string {
  return (createRequire(import.meta.url)('lintel/package.json') as { version: string }).version;
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
