import type { DynamicModule } from '@nestjs/common';
import type { Variables } from '../../platform/config/config.public.js';
import type { Config } from '../../platform/config/config.types.js';
import type { ApplicationTables, DatabaseConnection } from '../../platform/database/database.public.js';
import type { CommandDefinition } from './command-definition.js';

/** The application that the command line works for. */
export interface CommandApplication {
  /** It is the service as it comes, with nothing of a team's own. */
  readonly isService: boolean;
  /** Its own commands. */
  readonly commands: readonly CommandDefinition[];
  /** The variables of its definition, as the help shows them. */
  readonly variables: readonly Variables[];
  /** Loads its modules: most of what a command line is asked does without them, and all take a second. */
  load(): Promise<LoadedApplication>;
  /** Says why a command failed, for the person at the terminal. */
  describeFault(error: unknown): Promise<string>;
}

/** The modules of an application. */
export interface LoadedApplication {
  /** All of its variables, those of the service among them. */
  readonly variables: readonly Variables[];
  /** Its entities and migrations. */
  readonly tables: ApplicationTables;
  /** Puts the modules together for one command: roles and schemas stay as they are. */
  assemble(config: Config, connection: DatabaseConnection): DynamicModule;
}
