import { assertDistinct, DefinitionError } from '../../kernel/errors/definition-error.js';
import type { INestApplicationContext } from '@nestjs/common';

/** Context of an application's command. */
export interface CommandCall {
  /** The application, with all migrations applied, not listening. */
  readonly app: INestApplicationContext;
  /** Arguments in the order of {@link CommandDefinition.arguments}. An optional one may be undefined. */
  readonly arguments: readonly (string | undefined)[];
  /** Options by camel-case name. A flag is true if it is set. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** Prints a result: one JSON value with `--json`, or else the text. */
  print(value: unknown, text: string): void;
}

/** A command of an application, created by {@link defineCommand}. */
export interface CommandDefinition {
  /** Group and action, such as `acme:import`. */
  readonly name: string;
  readonly description: string;
  /** Arguments and their descriptions: `'<file>'`, or `'[file]'` for an optional one. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Options and their descriptions: `'--dry-run'`, `'--since <day>'`. */
  readonly options?: Readonly<Record<string, string>>;
  /** Runs the command. The message of a `CommandError` is printed; other errors are reported as faults. */
  run(call: CommandCall): Promise<void>;
}

/** Defines a command of an application. */
export function defineCommand(command: CommandDefinition): CommandDefinition {
  return command;
}

/** @throws DefinitionError for a value that is no command, an invalid name, a group of the service, and a duplicate name. */
export function assertCommands(commands: readonly CommandDefinition[], groups: readonly string[]): void {
  for (const command of commands) {
    const { name, run } = Object(command) as Partial<CommandDefinition>;
    if (typeof name !== 'string' || typeof run !== 'function')
      throw new DefinitionError('commands of the definition must be a list of results of defineCommand().');
    if (!/^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)+$/.test(name))
      throw new DefinitionError(
        `The command ${name} must have a name with a group and an action, such as acme:import.`,
      );
    if (groups.includes(name.split(':')[0] ?? ''))
      throw new DefinitionError(`The command ${name} uses a group of the service. Use a group of the application.`);
  }
  assertDistinct(
    commands.map(({ name }) => name),
    'Two commands have the name',
  );
}
