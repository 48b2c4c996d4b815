import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import type { Command } from 'commander';
import type { VariableInForce, Variables } from '../config/config.public.js';
import type { Config } from '../config/config.types.js';
import type { ApplicationTables, DatabaseConnection, Migrator, OnMigrated } from '../database/database.public.js';
import type { CommandDefinition } from './command-definition.js';

export type AddCommands = (program: Command, context: CommandContext) => void;

/** Loads the commands of each group. Command names begin with the name of their group. */
export type CommandGroups = Readonly<Record<string, readonly (() => Promise<AddCommands>)[]>>;

export interface CommandApplication {
  readonly isService: boolean;
  readonly groups: CommandGroups;
  readonly commands: readonly CommandDefinition[];
  readonly variables: readonly Variables[];
  /** Loads its modules. Many commands do not need them, and loading all takes a second. */
  load(): Promise<LoadedApplication>;
  describeFault(error: unknown): Promise<string>;
}

export interface LoadedApplication {
  readonly variables: readonly Variables[];
  readonly tables: ApplicationTables;
  /** Assembles the modules for one command. Roles and schemas are not changed. */
  assemble(config: Config, connection: DatabaseConnection): DynamicModule;
}

/** Opens the resources of commands. Modules are imported when they are needed, because loading all of them takes a second. */
export class CommandContext {
  constructor(readonly application: CommandApplication) {}

  /** Runs work with the database. Joins the embedded server of a running service, or starts it. */
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

  async configuration(): Promise<{ readonly config: Config; readonly rows: readonly VariableInForce[] }> {
    const { configurationInForce, parseConfig, readEnvironment } = await import('../config/config.public.js');
    const { variables: declarations } = await this.application.load();
    const environment = readEnvironment();
    const config = parseConfig(environment, declarations);
    return { config, rows: configurationInForce(config, declarations) };
  }

  /** Runs work with the migrators. `own` is null if the application has no migrations. */
  withMigrators<T>(work: (service: Migrator, own: Migrator | null) => Promise<T>): Promise<T> {
    return this.withDatabase(async ({ address }, { tables }, config) => {
      const { ownMigrator, serviceMigrator } = await import('../database/database.public.js');
      const onMigrated = await migrationLogger(config);
      const own = tables.own.migrations.length === 0 ? null : ownMigrator(address, tables, onMigrated);
      return work(serviceMigrator(address, tables, onMigrated), own);
    });
  }

  /** Runs work with the services of the application, without listening. Pending migrations are applied first. */
  withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
    return this.withDatabase((connection, loaded, config) => applicationOn(connection, { loaded, config, work }));
  }

  /** Loads the configuration without opening the database, for commands that need it closed. */
  async loadConfig(): Promise<{ readonly config: Config; readonly loaded: LoadedApplication }> {
    const { loadConfig, readEnvironment } = await import('../config/config.public.js');
    const loaded = await this.application.load();
    return { loaded, config: loadConfig(readEnvironment(), loaded.variables) };
  }
}

async function migrationLogger(config: Config): Promise<OnMigrated> {
  const { OPERATOR } = await import('../audit/audit.public.js');
  const { auditMigrations } = await import('../audit/audit-trail.service.js');
  return auditMigrations(config, OPERATOR);
}

interface ApplicationWork<T> {
  readonly loaded: LoadedApplication;
  readonly config: Config;
  readonly work: (app: INestApplicationContext) => Promise<T>;
}

/** Runs work with the services of an application on a database. Pending migrations are applied first. */
export async function applicationOn<T>(
  connection: DatabaseConnection,
  { loaded, config, work }: ApplicationWork<T>,
): Promise<T> {
  const { NestFactory } = await import('@nestjs/core');
  const { migrate } = await import('../database/database.public.js');
  await migrate(connection.address, loaded.tables, await migrationLogger(config));
  const app = await NestFactory.createApplicationContext(loaded.assemble(config, connection), {
    logger: await createLogger(),
    abortOnError: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** Logs errors. Errors of the startup are not logged here, because they are thrown and reported at the end of the command. */
async function createLogger(): Promise<LoggerService> {
  const { ConsoleLogger } = await import('@nestjs/common');
  class CommandLogger extends ConsoleLogger {
    override error(message: unknown, ...rest: unknown[]): void {
      if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
    }
  }
  return new CommandLogger({ logLevels: ['error'] });
}
