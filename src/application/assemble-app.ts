import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { AppDefinition } from './app-definition.js';
import { AppModule, applicationTables } from '../app.module.js';
import type { Config } from '../platform/config/config.types.js';
import type { DatabaseConnection } from '../platform/database/connections/database-connection.js';
import { RouteAccessInspector } from '../identity/auth/auth.public.js';
import { DescribedRoutes } from '../edge/openapi/routes/described-routes.service.js';
import { SERVICE } from '../platform/audit/audit.public.js';
import { auditMigrations } from '../platform/audit/audit-trail.service.js';
import { assertMigrationNames, migrate, unknownMigrations } from '../platform/database/migrations/migrator.js';
import { assertSchemaFiles } from '../data/schema/schema.public.js';
import { modulesOf } from './definition-modules.js';
import { ConnectionDrain } from '../platform/http/server/connection-drain.service.js';
import { configureHttp } from '../platform/http/server/configure-http.js';
import { fastifyOptions } from '../platform/http/server/fastify-options.js';
import { FrameworkLogger } from '../platform/http/server/logger.js';
import { loadTracer } from '../platform/tracing/tracing.public.js';
import { DefinitionError } from '../kernel/errors/definition-error.js';

export interface AppParts {
  readonly config: Config;
  readonly connection: DatabaseConnection;
  readonly logger: Logger;
  readonly definition?: AppDefinition;
}

const UNKNOWN_MIGRATIONS =
  'The database contains migrations that this application does not have. They belong to a newer version or to another application.';

/**
 * Checks the parts of a definition that need no database.
 *
 * @throws DefinitionError SchemaFilesError
 */
export async function assertDefinition(config: Config, definition: AppDefinition): Promise<void> {
  assertMigrationNames(applicationTables(definition));
  if (config.seat?.prepares !== false) await assertSchemaFiles(config, modulesOf(definition));
}

export type Assemble = (
  module: DynamicModule,
  adapter: FastifyAdapter,
  options: NestApplicationOptions,
) => Promise<NestFastifyApplication>;

const BY_FRAMEWORK: Assemble = (module, adapter, options) => NestFactory.create(module, adapter, options);

/** Loads the middleware support, which slows down every request, only if a module adds middleware. */
class LeanAdapter extends FastifyAdapter {
  drain: ConnectionDrain | undefined;

  override init(): Promise<void> {
    return Promise.resolve();
  }

  /** @throws DefinitionError always: at this time the framework would silently ignore the middleware. */
  override use(): never {
    throw new DefinitionError('app.use() is not available. Add the middleware in configure(consumer) of a module.');
  }

  /** Closes the listener before any shutdown hook, because requests that still arrive need every module. Nest awaits it. */
  override beforeClose(): unknown {
    super.beforeClose();
    return this.drain?.stop();
  }
}

/**
 * Creates the application, not yet listening: applies migrations (of several workers only the first does), and loads the modules. Built-in
 * roles and schema files follow at the initialization, which `listen` triggers.
 *
 * @param assemble the factory, for callers that replace providers.
 * @throws ConfigError, DefinitionError, DatabaseConnectionError, with a message for the operator.
 */
export async function assembleApp(parts: AppParts, assemble: Assemble = BY_FRAMEWORK): Promise<NestFastifyApplication> {
  const { config, connection, logger, definition } = parts;
  await loadTracer();
  const module = AppModule.forRoot(config, connection, definition);
  if (config.seat?.prepares !== false) {
    const tables = applicationTables(definition);
    const migrations = await migrate(connection.address, tables, auditMigrations(config, SERVICE));
    if (migrations.length > 0) logger.info({ migrations }, 'migrated');
    const unknown = await unknownMigrations(connection.address, tables);
    if (unknown.length > 0) logger.warn({ migrations: unknown, msg: UNKNOWN_MIGRATIONS });
  }
  const adapter = new LeanAdapter(fastifyOptions(config, logger));
  const options = { bodyParser: false, logger: new FrameworkLogger(logger), abortOnError: false };
  const app = await assemble(module, adapter, options);
  // Before the framework connects other handlers to their own servers.
  app.get(RouteAccessInspector).assertHttpHandlers();
  adapter.drain = app.get(ConnectionDrain);
  await configureHttp(app, config, logger);
  app.get(DescribedRoutes).readFrom(app);
  return app;
}
