import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import type { Config } from '../config/config.types.js';
import { loadConfig, readEnvironment } from '../config/load-config.js';
import { type DatabaseConnection, openDatabase } from '../database/database-connection.js';
import { Migrator } from '../database/migrator.js';
import { START_CHECKS } from '../start-checks.js';

/** Runs work with the database: joins a running service's embedded server, or starts the database alone. */
export async function withDatabase<T>(
  work: (connection: DatabaseConnection, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(readEnvironment(), START_CHECKS);
  const connection = await openDatabase(config);
  try {
    return await work(connection, config);
  } finally {
    await connection.release();
  }
}

/** Runs work with the services of the application, without listening. The database is brought up to date first. */
export function withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  return withDatabase(async (connection, config) => {
    await new Migrator(connection.address).up();
    const app = await NestFactory.createApplicationContext(AppModule.forRoot(config, connection), {
      logger: ['error'],
      abortOnError: false,
    });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  });
}
