import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import type { AppDefinition } from '../../src/application/app-definition.js';
import type { Assemble } from '../../src/application/assemble-app.js';
import type { Config } from '../../src/platform/config/config.types.js';
import type { Environment } from '../../src/platform/config/parse-config.js';
import type { DatabaseConnection } from '../../src/platform/database/connections/database-connection.js';
import type { PortImplementations } from '../../src/platform/extension/ports.js';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import { classReturning, CheapPasswordHasher, startApp, type StartedApp } from '../../src/testing/start-app.js';
import { TestApp as PublicTestApp } from '../../src/testing/test-app.js';
import { TestClient } from './test-client.js';
import { TestClock } from './test-clock.js';
import { createDatabase } from './test-server.js';

export interface TestAppOptions {
  readonly env?: Environment;
  readonly modules?: readonly (Type | DynamicModule)[];
  readonly ports?: PortImplementations;
  readonly definition?: Omit<AppDefinition, 'modules' | 'ports'>;
  /** `real` if the cost or strength of password hashes matters. By default a cheap hasher is used. */
  readonly hasher?: 'real';
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  readonly connection?: DatabaseConnection;
  readonly clock?: TestClock;
}

/** The test application of `lintel/testing` on the server of the suite, with its configuration, SQL and supertest clients. */
export class TestApp extends PublicTestApp {
  declare readonly clock: TestClock;
  declare readonly log: string[];
  readonly config: Config;
  readonly connection: DatabaseConnection;

  private constructor(clock: TestClock, { nest, config, connection, log, cleanUp }: StartedApp) {
    super(nest, clock, log, config.dataDir, cleanUp);
    this.config = config;
    this.connection = connection;
  }

  /** Starts an application. Prefer {@link useTestApp}. */
  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const { connection, clock = new TestClock(), override } = options;
    const definition = { modules: options.modules, ...options.definition, ports: portsOf(options, clock) };
    clock.rule();
    const started = await startApp(definition, {
      env: options.env,
      createDatabase: async () => (connection ? { ...connection, drop: () => Promise.resolve() } : createDatabase()),
      assemble: override && assembleWith(override),
    });
    return new TestApp(clock, started);
  }

  /** Starts an application on the same database. It sends to the same mail server, because either of the two may send a mail. */
  async secondInstance(options: TestAppOptions = {}): Promise<TestApp> {
    const { url } = this.config.mail;
    const env = { ...(url === undefined ? {} : { MAIL_URL: url }), ...options.env };
    return TestApp.start({ ...options, env, connection: this.connection, clock: this.clock });
  }

  asGuest(): TestClient {
    return new TestClient(this.server);
  }

  as(token: string): TestClient {
    return new TestClient(this.server, token);
  }

  get database(): DataSource {
    return this.nest.get(DataSource);
  }

  sql<T = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<T[]> {
    return this.database.query<T[]>(text, parameters);
  }

  /** Stops scheduled background work. Afterwards, jobs only run when a test drains them. */
  async stopBackgroundWork(): Promise<void> {
    await this.get(JobWorker).beforeApplicationShutdown();
  }

  async stop(): Promise<void> {
    await this.close();
  }
}

/** Returns one application for a whole test file: started before its tests, stopped after them. */
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

function assembleWith(override: NonNullable<TestAppOptions['override']>): Assemble {
  return async (module, adapter, { logger, ...options }) => {
    const builder = Test.createTestingModule({ imports: [module] }).setLogger(logger as LoggerService);
    const compiled = await override(builder).compile();
    return compiled.createNestApplication<NestFastifyApplication>(adapter, { logger, ...options });
  };
}

/** Adds the test clock and the cheap hasher, unless the test provides these ports. */
function portsOf({ ports = {}, hasher }: TestAppOptions, clock: TestClock): PortImplementations {
  // The application must reject invalid ports, so they are passed through.
  if (Symbol.iterator in ports) return ports;
  return {
    clock: classReturning(clock),
    ...(hasher === 'real' ? {} : { passwordHasher: CheapPasswordHasher }),
    ...ports,
  };
}
