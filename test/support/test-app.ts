import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { Server } from 'node:http';
import { DataSource } from 'typeorm';
import { createAdapter } from '../../src/app.js';
import { AppModule } from '../../src/app.module.js';
import type { Config } from '../../src/config/config.types.js';
import { type Environment, parseConfig } from '../../src/config/parse-config.js';
import type { DatabaseConnection } from '../../src/database/database-connection.js';
import { configureHttp } from '../../src/http/configure-http.js';
import { FrameworkLogger } from '../../src/http/framework-logger.js';
import { createLogger } from '../../src/http/logger.js';
import { Clock } from '../../src/kernel/clock.port.js';
import type { PortImplementations } from '../../src/kernel/ports.js';
import { RoleSeeder } from '../../src/users/role-seeder.js';
import { TestClient } from './test-client.js';
import { TestClock } from './test-clock.js';
import { createDatabase } from './test-server.js';

/** How a test application differs from the product's. */
export interface TestAppOptions {
  /** Variables beside those that every test application has. */
  readonly env?: Environment;
  /** More modules, such as one with a route of the test's own. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /** Classes in place of our own, by port. */
  readonly ports?: PortImplementations;
  /** Replaces providers. */
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  /** Another application's database, to be a second instance beside it. */
  readonly connection?: DatabaseConnection;
  readonly clock?: TestClock;
}

/** What every test application has, unless its test says otherwise. */
const BASE_ENVIRONMENT: Environment = {
  NODE_ENV: 'test',
  APP_KEY: 'a key for tests that is long enough to be one',
  APP_URL: 'http://lintel.test',
  RATE_LIMIT_ENABLED: 'false',
  LOG_LEVEL: 'debug',
};

/** The whole product on a database of its own, listening on loopback, with a clock turned by hand. */
export class TestApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly config: Config,
    readonly clock: TestClock,
    readonly connection: DatabaseConnection,
    /** Everything that was logged, line by line. */
    readonly log: string[],
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** Makes and starts one. Prefer {@link useTestApp}. */
  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const dataDir = mkdtempSync(join(tmpdir(), 'lintel-app-'));
    const config = parseConfig({ ...BASE_ENVIRONMENT, DATA_DIR: dataDir, ...options.env });
    const database = options.connection === undefined ? await createDatabase() : null;
    const connection = options.connection ?? {
      address: database!.address,
      embedded: false,
      release: () => Promise.resolve(),
    };
    const clock = options.clock ?? new TestClock();
    const log: string[] = [];
    const logger = createLogger(config.logLevel, { write: (line) => void log.push(line) });
    const parts = { config, connection, logger };
    const builder = Test.createTestingModule({
      imports: [AppModule.forRoot(config, connection, { modules: options.modules, ports: options.ports })],
    })
      .overrideProvider(Clock)
      .useValue(clock)
      .setLogger(new FrameworkLogger(logger));
    let nest: NestFastifyApplication | undefined;
    const cleanUp = async (): Promise<void> => {
      await nest?.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    };
    try {
      const module = await (options.override?.(builder) ?? builder).compile();
      nest = module.createNestApplication<NestFastifyApplication>(createAdapter(parts), { bodyParser: false });
      await configureHttp(nest, config, logger);
      await nest.listen(0, '127.0.0.1');
      await nest.get(RoleSeeder).seedMissingBuiltIns();
      return new TestApp(nest, config, clock, connection, log, cleanUp);
    } catch (error) {
      await cleanUp().catch(() => undefined);
      throw error;
    }
  }

  /** A second instance of the service on the same database, with the same clock. */
  async secondInstance(options: TestAppOptions = {}): Promise<TestApp> {
    return TestApp.start({ ...options, connection: this.connection, clock: this.clock });
  }

  /** A request client without a token. */
  asGuest(): TestClient {
    return new TestClient(this.server);
  }

  /** A request client with a token. */
  as(token: string): TestClient {
    return new TestClient(this.server, token);
  }

  /** The HTTP server. */
  get server(): Server {
    return this.nest.getHttpServer() as Server;
  }

  /** `http://127.0.0.1:port` */
  get url(): string {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  }

  /** The DataSource of the application. */
  get database(): DataSource {
    return this.nest.get(DataSource);
  }

  /** Runs one statement and answers its rows. */
  sql<T = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<T[]> {
    return this.database.query<T[]>(text, parameters);
  }

  /** A provider of the application. */
  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token as Type<T>, { strict: false });
  }

  /** Stops the application and drops its database. */
  async stop(): Promise<void> {
    await this.cleanUp();
  }
}

/** One application for a whole test file: started before its tests, stopped after them. */
export function useTestApp(options: TestAppOptions = {}): { readonly app: TestApp } {
  const holder: { app: TestApp } = { app: undefined as never };
  beforeAll(async () => {
    holder.app = await TestApp.start(options);
  });
  afterAll(async () => {
    await holder.app?.stop();
  });
  return holder;
}
