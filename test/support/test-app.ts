import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { Server } from 'node:http';
import { DataSource } from 'typeorm';
import { type Assemble, assembleApp } from '../../src/application/assemble-app.js';
import type { AppDefinition } from '../../src/application/app-definition.js';
import type { Config } from '../../src/platform/config/config.types.js';
import { parseAppConfig } from '../../src/app.module.js';
import type { Environment } from '../../src/platform/config/parse-config.js';
import type { DatabaseConnection } from '../../src/platform/database/connections/database-connection.js';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import { createLogger } from '../../src/platform/http/server/logger.js';
import type { PortImplementations } from '../../src/kernel/ports.js';
import { alwaysThe, CheapPasswordHasher, TEST_ENVIRONMENT } from '../../src/testing/test-parts.js';
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

export class TestApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly config: Config,
    readonly clock: TestClock,
    readonly connection: DatabaseConnection,
    readonly log: string[],
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** Starts an application. Prefer {@link useTestApp}. */
  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const dataDir = mkdtempSync(join(tmpdir(), 'lintel-app-'));
    const clock = options.clock ?? new TestClock();
    const definition = { modules: options.modules, ...options.definition, ports: portsOf(options, clock) };
    const config = parseAppConfig({ ...TEST_ENVIRONMENT, DATA_DIR: dataDir, ...options.env }, definition);
    const database = options.connection === undefined ? await createDatabase() : null;
    const connection = options.connection ?? {
      address: database!.address,
      embedded: false,
      release: () => Promise.resolve(),
    };
    const log: string[] = [];
    const logger = createLogger(config.logLevel, { write: (line) => void log.push(line) });
    let nest: NestFastifyApplication | undefined;
    const cleanUp = async (): Promise<void> => {
      await nest?.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    };
    try {
      clock.rule();
      nest = await assembleApp(
        { config, connection, logger, definition },
        options.override && assembleWith(options.override),
      );
      await nest.listen(0, '127.0.0.1');
      return new TestApp(nest, config, clock, connection, log, cleanUp);
    } catch (error) {
      await cleanUp().catch(() => undefined);
      throw error;
    }
  }

  async secondInstance(options: TestAppOptions = {}): Promise<TestApp> {
    return TestApp.start({ ...options, connection: this.connection, clock: this.clock });
  }

  asGuest(): TestClient {
    return new TestClient(this.server);
  }

  as(token: string): TestClient {
    return new TestClient(this.server, token);
  }

  get server(): Server {
    return this.nest.getHttpServer() as Server;
  }

  get url(): string {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  }

  get database(): DataSource {
    return this.nest.get(DataSource);
  }

  sql<T = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<T[]> {
    return this.database.query<T[]>(text, parameters);
  }

  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token as Type<T>, { strict: false });
  }

  /** Stops scheduled background work. Afterwards, jobs only run when a test drains them. */
  async stopBackgroundWork(): Promise<void> {
    await this.get(JobWorker).beforeApplicationShutdown();
  }

  async stop(): Promise<void> {
    await this.cleanUp();
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
  return { clock: alwaysThe(clock), ...(hasher === 'real' ? {} : { passwordHasher: CheapPasswordHasher }), ...ports };
}
