import { setTimeout as delay } from 'node:timers/promises';
import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config/config.types.js';
import {
  applicationSettings,
  createDataSource,
  MIGRATIONS_TABLE,
  OWN_MIGRATIONS_TABLE,
} from './connections/data-source.js';
import { ChangeNotices1700000000010 } from './change-notices.migration.js';
import { DatabaseMeasures } from './database-measures.service.js';
import { ReadReplica } from './connections/read-replica.service.js';
import { AppliedMigrations } from './migrations/applied-migrations.service.js';
import { OwnTables } from './migrations/own-tables.service.js';
import { APPLICATION_TABLES, type ApplicationTables, Tables } from './tables.decorator.js';
import type { DatabaseConnection } from './connections/database-connection.js';
import { reserveTables } from '../../kernel/system-schema.js';
import { DeclaresVariables } from '../config/config.public.js';
import { DATABASE_VARIABLES } from './database.variables.js';

export const DATABASE_CONNECTION = Symbol('DATABASE_CONNECTION');

// A table of TypeORM. Another application in the same database may have it.
reserveTables(['typeorm_metadata']);

@DeclaresVariables(DATABASE_VARIABLES)
@Global()
@Tables({
  migrations: [ChangeNotices1700000000010],
  others: [MIGRATIONS_TABLE, OWN_MIGRATIONS_TABLE, 'change_notices'],
  fixed: [MIGRATIONS_TABLE, OWN_MIGRATIONS_TABLE, 'typeorm_metadata', 'change_notices'],
})
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  /** @param connection the caller releases it. */
  static forRoot(connection: DatabaseConnection, tables: ApplicationTables): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        // Not TypeOrmModule: it keeps names and entities in static storage, shared with a surrounding application.
        // The tokens are those of `@InjectDataSource()` and `@InjectEntityManager()`.
        {
          provide: DataSource,
          inject: [CONFIG],
          useFactory: (config: Config) =>
            connect(createDataSource(applicationSettings(config, connection.address, tables))),
        },
        { provide: EntityManager, inject: [DataSource], useFactory: ({ manager }: DataSource) => manager },
        { provide: DATABASE_CONNECTION, useValue: connection },
        { provide: APPLICATION_TABLES, useValue: tables },
        AppliedMigrations,
        OwnTables,
        DatabaseMeasures,
        ReadReplica,
      ],
      exports: [DataSource, EntityManager, DATABASE_CONNECTION, APPLICATION_TABLES, AppliedMigrations, ReadReplica],
    };
  }

  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/** Tries three times, half a second apart, because the server may be restarting. */
async function connect(dataSource: DataSource): Promise<DataSource> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dataSource.initialize();
    } catch (error) {
      if (attempt === 3) throw error;
      await delay(500);
    }
  }
}
