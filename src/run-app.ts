import 'reflect-metadata';
import { createApp } from './app.js';
import { type AppExtras, applicationVariables } from './app.module.js';
import { loadConfig, readEnvironment } from './platform/config/load-config.js';
import { openDatabase } from './platform/database/database-connection.js';
import { Ending } from './ending.js';
import { createLogger } from './platform/http/logger.js';
import { startBanner } from './start-banner.js';
import { describeStartFault, ListenError } from './start-faults.js';

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
  const config = loadConfig(readEnvironment(), applicationVariables(extras));
  const logger = createLogger(config.logLevel);
  const ending = new Ending(logger);
  const connection = await openDatabase(config, (message) => logger.info(message));
  try {
    const app = await createApp({ config, connection, logger, extras });
    await app.init();
    await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw new ListenError(config, error);
    });
    ending.finishWith(async () => {
      await app.close();
      await connection.release();
    });
    process.stdout.write(await startBanner(app, config, extras !== undefined));
  } catch (error) {
    await connection.release();
    throw error;
  }
}
