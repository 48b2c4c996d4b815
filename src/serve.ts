import 'reflect-metadata';
import type { AppDefinition } from './app-definition.js';
import { applicationVariables } from './app.module.js';
import { openApplication } from './create-app.js';
import { loadConfig, readEnvironment } from './platform/config/load-config.js';
import { Ending } from './ending.js';
import { createLogger } from './platform/http/logger.js';
import { startBanner } from './start-banner.js';
import { describeStartFault } from './start-faults.js';

/**
 * Runs the service, or an application of a team's own, as the work of this process: configuration, database, migrations,
 * built-in roles, schema files, HTTP, and a stop in order. A start that fails says why and ends the process with code 1.
 */
export async function serve(definition: AppDefinition = {}): Promise<void> {
  try {
    await start(definition);
  } catch (error) {
    process.stderr.write(`${describeStartFault(error)}\n`);
    process.exit(1);
  }
}

async function start(definition: AppDefinition): Promise<void> {
  const config = loadConfig(readEnvironment(), applicationVariables(definition));
  const logger = createLogger(config.logLevel);
  const ending = new Ending(logger);
  const application = await openApplication(config, logger, definition);
  try {
    await application.listen();
    ending.finishWith(() => application.close());
    process.stdout.write(await startBanner(application.nest, config, Object.keys(definition).length > 0));
  } catch (error) {
    await application.close();
    throw error;
  }
}
