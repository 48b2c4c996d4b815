import cluster from 'node:cluster';
import type { AppDefinition } from '../application/app-definition.js';
import { applicationVariables } from '../app.module.js';
import { openApplication } from '../application/create-app.js';
import { Shutdown } from './shutdown.js';
import { assertPortsFree } from './free-ports.js';
import type { Config } from '../platform/config/config.types.js';
import { loadConfig, readEnvironment } from '../platform/config/load-config.js';
import type { Environment } from '../platform/config/parse-config.js';
import { unknownVariables } from '../platform/config/unknown-variables.js';
import { createLogger } from '../platform/http/server/logger.js';
import { takeSeat, tellReady } from '../platform/workers/worker-channel.js';
import { startBanner } from './startup-banner.js';

/** Starts an application, and runs it until the process receives SIGTERM or SIGINT. */
export async function startService(definition: AppDefinition, overrides: Environment = {}): Promise<void> {
  const [environment, variables] = [{ ...readEnvironment(), ...overrides }, applicationVariables(definition)];
  const config = await seated(loadConfig(environment, variables));
  const logger = createLogger(config.logLevel);
  if (config.seat?.prepares !== false) {
    for (const msg of unknownVariables(environment, variables)) logger.warn({ msg });
    await assertPortsFree(config);
  }
  const shutdown = new Shutdown(logger);
  const application = await openApplication(config, logger, definition);
  try {
    if (config.jobs.role === 'work') stayAlive();
    else await application.listen();
    shutdown.finishWith(() => application.close());
    if (config.seat?.prepares !== false)
      process.stdout.write(await startBanner(application.nest, config, Object.keys(definition).length > 0));
    if (config.seat !== null) tellReady();
  } catch (error) {
    await application.close();
    throw error;
  }
}

/** Keeps the process alive. Without a listener and a database connection, nothing else would. */
function stayAlive(): void {
  setInterval(() => undefined, 3_600_000);
}

async function seated(config: Config): Promise<Config> {
  if (cluster.isPrimary || config.workers === 1) return config;
  return Object.freeze({ ...config, seat: await takeSeat() });
}
