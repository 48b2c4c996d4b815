import { assertDistinct, DefinitionError } from '../../kernel/errors/definition-error.js';
import type { INestApplicationContext } from '@nestjs/common';

/** Context of a command of an application's own. */
export interface CommandCall {
  /** The application, up to date and not listening. */
  readonly app: INestApplicationContext;
  /** Arguments behind the name, in the order of {@link CommandDefinition.arguments}; an optional one may be undefined. */
  readonly arguments: readonly (string | undefined)[];
  /** By their names in camel case; a flag is true if it is given. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** Prints a result: one JSON value with `--json`, else the text. */
  print(value: unknown, text: string): void;
}

/** A command of an application's own, made by {@link defineCommand}. */
export interface CommandDefinition {
  /** Its group and what it does, as `acme:import`. */
  readonly name: string;
  readonly description: string;
  /** Arguments with what they are: `'<file>'`, or `'[file]'` where it may be left out. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Options with what they are: `'--dry-run'`, `'--since <day>'`. */
  readonly options?: Readonly<Record<string, string>>;
  /** Does what is asked. A `CommandError` ends with its sentence, any other with a fault. */
  run(call: CommandCall): Promise<void>;
}

/** Defines a command of an application's own. */
export function defineCommand(command: CommandDefinition): CommandDefinition {
  return command;
}

/**
 * Checks the commands of an application.
 *
 * @param groups groups of the commands of the service.
 * @throws DefinitionError for what is no command, for a name that cannot be, and for one that is there already.
 */
export function assertCommands(commands: readonly CommandDefinition[], groups: readonly string[]): void {
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
