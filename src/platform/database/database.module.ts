import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, ConfigModule } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { applicationSettings, createDataSource } from './data-source.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { DatabaseMeasures } from './database-measures.service.js';
import { ReadReplica } from './read-replica.service.js';
import { AppliedMigrations } from './applied-migrations.service.js';
import { OwnTables } from './own-tables.service.js';
import { APPLICATION_TABLES, type ApplicationTables, Tables } from './tables.decorator.js';
import type { DatabaseConnection } from './database-connection.js';
import { DeclaresVariables } from '../config/config.public.js';
import { DATABASE_VARIABLES } from './database.variables.js';

/** Injection token of the {@link DatabaseConnection} that the application was started with. */
export const DATABASE_CONNECTION = Symbol('DATABASE_CONNECTION');

/** The DataSource, for the whole application. */
@DeclaresVariables(DATABASE_VARIABLES)
@Global()
@Tables({
  migrations: MIGRATIONS,
  others: [
    'migrations',
    'app_migrations',
    'typeorm_metadata',
    'change_notices',
    // Of earlier releases: a step back makes them again.
    'email_changes',
    'address_requests',
    'mail_outbox',
  ],
  transient: ['mail_outbox'],
  fixed: ['migrations', 'app_migrations', 'typeorm_metadata', 'change_notices'],
})
@Module({})
export class DatabaseModule {
  /**
   * @param connection the database to use; it stays with the caller, who releases it.
   * @param tables all entities and migrations of the application.
   */
  static forRoot(connection: DatabaseConnection, tables: ApplicationTables): DynamicModule {
    const typeorm = TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      imports: [ConfigModule],
      useFactory: (config: Config) => ({
        ...createDataSource(applicationSettings(config, connection.address, tables)).options,
        retryAttempts: 3,
        retryDelay: 500,
      }),
    });
    return {
      module: DatabaseModule,
      imports: [typeorm],
      providers: [
        { provide: DATABASE_CONNECTION, useValue: connection },
        { provide: APPLICATION_TABLES, useValue: tables },
        AppliedMigrations,
        OwnTables,
        DatabaseMeasures,
        ReadReplica,
      ],
      exports: [DATABASE_CONNECTION, APPLICATION_TABLES, AppliedMigrations, OwnTables, ReadReplica, typeorm],
    };
  }
}
