import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { AppExtras } from './app.module.js';
import { loadConfig, readEnvironment } from './config/load-config.js';
import { openDatabase } from './database/database-connection.js';
import { createLogger } from './http/logger.js';
import { startBanner } from './start-banner.js';
import { START_CHECKS } from './start-checks.js';
import { describeStartFault, ListenError } from './start-faults.js';

/** How long requests in flight may take once the service was asked to stop. */
const SHUTDOWN_TIMEOUT_MS = 30_000;
/** A key press in a terminal reaches the whole process group, and npm passes it on once more. */
const SAME_REQUEST_MS = 1_000;

/**
 * Runs the service, or an application of a team's own, as the work of this process: configuration, database, migrations,
 * built-in roles, schema files, HTTP, and a stop in order. A start that fails says why and ends the process with code 1.
 *
 * @param extras modules and ports of the team's own.
 */
export async function runApp(extras?: AppExtras): Promise<void> {
  try {
    await start(extras);
  } catch (error) {
    process.stderr.write(`${describeStartFault(error)}\n`);
    process.exit(1);
  }
}

async function start(extras: AppExtras | undefined): Promise<void> {
  const config = loadConfig(readEnvironment(), START_CHECKS);
  const logger = createLogger(config.logLevel);
  process.on('unhandledRejection', (err) => logger.error({ err }, 'a promise was rejected and nobody listened'));
  const connection = await openDatabase(config, (message) => logger.info(message));
  try {
    const app = await createApp({ config, connection, logger, extras });
    await app.init();
    await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw new ListenError(config, error);
    });
    stopOnSignal(app, logger, () => connection.release());
    process.stdout.write(await startBanner(app, config, extras !== undefined));
  } catch (error) {
    await connection.release();
    throw error;
  }
}

/** Finishes requests in flight, then ends. Whoever asks again, and not by the same key press, ends it at once. */
function stopOnSignal(app: NestFastifyApplication, logger: Logger, release: () => Promise<void>): void {
  let askedAt: number | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (askedAt !== null) {
      if (performance.now() - askedAt > SAME_REQUEST_MS) process.exit(1);
      return;
    }
    askedAt = performance.now();
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
    app
      .close()
      .then(release)
      .then(
        () => process.exit(0),
        (err: unknown) => {
          logger.error({ err }, 'could not stop in order');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
