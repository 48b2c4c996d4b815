import type { INestApplicationContext } from '@nestjs/common';

/** What a command of an application's own works with. */
export interface CommandCall {
  /** The application, up to date and not listening. */
  readonly app: INestApplicationContext;
  /** What stands behind the name, in the order of {@link CommandDefinition.arguments}; an optional one may be undefined. */
  readonly arguments: readonly (string | undefined)[];
  /** By their names in camel case; a flag is true where it is given. */
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
