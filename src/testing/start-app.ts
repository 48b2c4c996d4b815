import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { parseAppConfig } from '../app.module.js';
import type { AppDefinition } from '../application/app-definition.js';
import { type Assemble, assembleApp } from '../application/assemble-app.js';
import { Argon2PasswordHasher, type Argon2Settings } from '../identity/users/passwords/argon2-password-hasher.js';
import type { Config } from '../platform/config/config.types.js';
import type { Environment } from '../platform/config/parse-config.js';
import type { DatabaseConnection } from '../platform/database/connections/database-connection.js';
import { createLogger } from '../platform/http/server/logger.js';
import type { TestDatabase } from './test-database.js';

export const TEST_ENVIRONMENT: Environment = {
  NODE_ENV: 'test',
  APP_KEY: 'a key for tests that is long enough to be one',
  APP_URL: 'http://lintel.test',
  RATE_LIMIT_ENABLED: 'false',
  LOG_LEVEL: 'debug',
};

/** The hasher of the service with the lowest cost, to create accounts quickly. */
@Injectable()
export class CheapPasswordHasher extends Argon2PasswordHasher {
  protected override readonly settings: Argon2Settings = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** Returns a class whose constructor returns this instance. A definition takes classes for its ports. */
export function classReturning<T extends object>(instance: T): Type<T> {
  return class {
    constructor() {
      return instance;
    }
  } as Type<T>;
}

interface StartOptions {
  /** Environment variables, in addition to the defaults of test applications. */
  readonly env?: Environment | undefined;
  readonly createDatabase: () => Promise<TestDatabase>;
  readonly assemble?: Assemble | undefined;
}

export interface StartedApp {
  readonly nest: NestFastifyApplication;
  readonly config: Config;
  readonly connection: DatabaseConnection;
  readonly log: string[];
  /** Stops the application, drops its database and deletes its data directory. */
  readonly cleanUp: () => Promise<void>;
}

/** Starts an application that listens on loopback and has its own data directory. */
export async function startApp(
  definition: AppDefinition,
  { env, createDatabase, assemble }: StartOptions,
): Promise<StartedApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-app-'));
  const log: string[] = [];
  let nest: NestFastifyApplication | undefined;
  let database: TestDatabase | undefined;
  const cleanUp = async (): Promise<void> => {
    await nest?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const config = parseAppConfig({ ...TEST_ENVIRONMENT, DATA_DIR: dataDir, ...env }, definition);
    database = await createDatabase();
    const connection = { address: database.address, embedded: false, release: () => Promise.resolve() };
    const logger = createLogger(config.logLevel, { write: (line) => void log.push(line) });
    nest = await assembleApp({ config, connection, logger, definition }, assemble);
    await nest.listen(0, '127.0.0.1');
    return { nest, config, connection, log, cleanUp };
  } catch (error) {
    await cleanUp().catch(() => undefined);
    throw error;
  }
}
