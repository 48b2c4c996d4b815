import {
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { CONFIG, ConfigModule } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { ChangeListener } from '../events/change-listener.service.js';
import { ChangeNotifier } from '../events/change-notifier.service.js';
import { applicationSettings, createDataSource } from './data-source.js';
import type { DatabaseConnection } from './database-connection.js';

/** Injection token of the {@link DatabaseConnection} that the application was started with. */
export const DATABASE_CONNECTION = Symbol('DATABASE_CONNECTION');

/** Starts and stops the listener for changes with the application. */
@Injectable()
class ChangeListenerLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(ChangeListener) private readonly listener: ChangeListener) {}

  onApplicationBootstrap(): void {
    this.listener.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener.stop();
  }
}

/** The DataSource and the listener for changes, for the whole application. */
@Global()
@Module({})
export class DatabaseModule {
  /**
   * @param connection the database to use; it stays with the caller, who releases it.
   * @param entities all entities of the application.
   */
  static forRoot(connection: DatabaseConnection, entities: readonly EntityTarget<ObjectLiteral>[]): DynamicModule {
    const typeorm = TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      imports: [ConfigModule],
      useFactory: (config: Config) => ({
        ...createDataSource(applicationSettings(config, connection.address, entities)).options,
        retryAttempts: 3,
        retryDelay: 500,
      }),
    });
    return {
      module: DatabaseModule,
      imports: [typeorm],
      providers: [
        { provide: DATABASE_CONNECTION, useValue: connection },
        {
          provide: ChangeListener,
          inject: [DataSource],
          useFactory: (source: DataSource) => new ChangeListener(source),
        },
        {
          provide: ChangeNotifier,
          inject: [DataSource, ChangeListener],
          useFactory: (source: DataSource, listener: ChangeListener) => new ChangeNotifier(source, listener),
        },
        ChangeListenerLifecycle,
      ],
      exports: [ChangeListener, ChangeNotifier, DATABASE_CONNECTION, typeorm],
    };
  }
}
