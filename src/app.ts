import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { type AppExtras, AppModule } from './app.module.js';
import type { Config } from './config/config.types.js';
import type { DatabaseConnection } from './database/database-connection.js';
import { configureHttp } from './http/configure-http.js';
import { fastifyOptions } from './http/fastify-options.js';
import { FrameworkLogger } from './http/framework-logger.js';

/** What an application is made of. */
export interface AppParts {
  readonly config: Config;
  readonly connection: DatabaseConnection;
  readonly logger: Logger;
  /** Modules and ports of the team's own. */
  readonly extras?: AppExtras;
}

/** Does without the support for middleware, which costs every request, until a module has some. */
class LeanAdapter extends FastifyAdapter {
  override init(): Promise<void> {
    return Promise.resolve();
  }

  /** @throws Error always: at this time the framework has no support for middleware, and would leave it out in silence. */
  override use(): never {
    throw new Error('app.use() is not available: let a module add the middleware, in configure(consumer).');
  }
}

/** Makes the HTTP server of the application. */
export function createAdapter({ config, logger }: AppParts): FastifyAdapter {
  return new LeanAdapter(fastifyOptions(config, logger));
}

/** Makes the application, not yet listening. Its database must have every migration. */
export async function createApp(parts: AppParts): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(parts.config, parts.connection, parts.extras),
    createAdapter(parts),
    {
      bodyParser: false,
      logger: new FrameworkLogger(parts.logger),
      abortOnError: false,
    },
  );
  await configureHttp(app, parts.config, parts.logger);
  return app;
}
