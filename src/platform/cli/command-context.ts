import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { VariableInForce, Variables } from '../config/config.public.js';
import type { Config } from '../config/config.types.js';
import type { ApplicationTables, DatabaseConnection, Migrator, OnMigrated } from '../database/database.public.js';
import type { CommandDefinition } from './command-definition.js';

/** Adds commands to the program. */
export type AddCommands = (program: Command, context: CommandContext) => void;

/** Loads the commands of each group; the names of commands begin with that of their group. */
export type CommandGroups = Readonly<Record<string, readonly (() => Promise<AddCommands>)[]>>;

/** The application that the command line works for. */
export interface CommandApplication {
  /** It is the service as it comes, with nothing of a team's own. */
  readonly isService: boolean;
  /** Commands of the service. */
  readonly groups: CommandGroups;
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

/**
 * Opens the resources of commands: the database, or the services of the application. Here and in the commands everything is loaded when
 * it is used and not before: most of what a command line is asked needs little of it, and to load all takes a second.
 */
export class CommandContext {
  constructor(readonly application: CommandApplication) {}

  /** Runs work with the database: joins a running service's embedded server, or starts the database alone. */
  async withDatabase<T>(
    work: (connection: DatabaseConnection, loaded: LoadedApplication, config: Config) => Promise<T>,
  ): Promise<T> {
    const { config, loaded } = await this.loadConfig();
    const { openDatabase } = await import('../database/database.public.js');
    const connection = await openDatabase(config);
    try {
      return await work(connection, loaded, config);
    } finally {
      await connection.release();
    }
  }

  /** Returns the variables of the application, and what is in force of them; nothing is written. */
  async configuration(): Promise<{ readonly config: Config; readonly rows: readonly VariableInForce[] }> {
    const { configurationInForce, parseConfig, readEnvironment } = await import('../config/config.public.js');
    const { variables: declarations } = await this.application.load();
    const environment = readEnvironment();
    const config = parseConfig(environment, declarations);
    return { config, rows: configurationInForce(config, declarations) };
  }

  /** Runs work with what migrates the tables of the service, and those of a team's own if it has any. */
  withMigrators<T>(work: (service: Migrator, own: Migrator | null) => Promise<T>): Promise<T> {
    return this.withDatabase(async ({ address }, { tables }, config) => {
      const { ownMigrator, serviceMigrator } = await import('../database/database.public.js');
      const told = await tellsMigrations(config);
      const own = tables.own.migrations.length === 0 ? null : ownMigrator(address, tables, told);
      return work(serviceMigrator(address, tables, told), own);
    });
  }

  /**
   * Runs work with the services of the application, without listening. The database is brought up to date first.
   */
  withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
    return this.withDatabase((connection, loaded, config) => applicationOn(connection, { loaded, config, work }));
  }

  /** Reads the configuration without opening the database, for what may not be open meanwhile. */
  async loadConfig(): Promise<{ readonly config: Config; readonly loaded: LoadedApplication }> {
    const { loadConfig, readEnvironment } = await import('../config/config.public.js');
    const loaded = await this.application.load();
    return { loaded, config: loadConfig(readEnvironment(), loaded.variables) };
  }
}

async function tellsMigrations(config: Config): Promise<OnMigrated> {
  const { OPERATOR } = await import('../audit/audit.public.js');
  const { tellMigrations } = await import('../audit/audit-trail.service.js');
  return tellMigrations(config, OPERATOR);
}

/** Work of an application. */
interface ApplicationWork<T> {
  readonly loaded: LoadedApplication;
  readonly config: Config;
  readonly work: (app: INestApplicationContext) => Promise<T>;
}

/** Runs work with the services of an application on a database, which is brought up to date first. */
export async function applicationOn<T>(
  connection: DatabaseConnection,
  { loaded, config, work }: ApplicationWork<T>,
): Promise<T> {
  const { NestFactory } = await import('@nestjs/core');
  const { CommandLogger } = await import('./command-logger.js');
  const { migrate } = await import('../database/database.public.js');
  await migrate(connection.address, loaded.tables, await tellsMigrations(config));
  const app = await NestFactory.createApplicationContext(loaded.assemble(config, connection), {
    logger: new CommandLogger(),
    abortOnError: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
