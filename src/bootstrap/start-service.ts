import cluster from 'node:cluster';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { AppDefinition } from '../application/app-definition.js';
import { applicationVariables } from '../app.module.js';
import { openApplication } from '../application/create-app.js';
import { Shutdown } from './shutdown.js';
import type { Config } from '../platform/config/config.types.js';
import { loadConfig, readEnvironment, unknownVariables } from '../platform/config/load-config.js';
import type { Environment } from '../platform/config/parse-config.js';
import { createLogger } from '../platform/http/server/logger.js';
import { requestWorkerSlot, notifyReady } from '../platform/workers/workers.public.js';
import { startupBanner } from './startup-banner.js';
import { MetricsListenError } from '../platform/metrics/metrics-endpoint.js';
import { type ListenAddress, ListenError } from '../application/startup-errors.js';

/** Time without output after which the start prints its current step. */
const SILENCE_MS = 2_000;

/** Starts an application, and runs it until the process receives SIGTERM or SIGINT. */
export async function startService(definition: AppDefinition, overrides: Environment = {}): Promise<void> {
  const [environment, variables] = [{ ...readEnvironment(), ...overrides }, applicationVariables(definition)];
  const config = await withWorkerSlot(loadConfig(environment, variables));
  const logger = createLogger(config.logLevel);
  if (config.seat?.prepares !== false) {
    for (const msg of unknownVariables(environment, variables)) logger.warn({ msg });
    await assertPortsFree(config);
  }
  const shutdown = new Shutdown(logger);
  const application = await reportIfSlow(config, () => openApplication(config, logger, definition));
  try {
    if (config.jobs.role === 'work') stayAlive();
    else await application.listen();
    shutdown.finishWith(() => application.close());
    if (config.seat?.prepares !== false)
      process.stdout.write(await startupBanner(application.nest, config, Object.keys(definition).length > 0));
    if (config.seat !== null) notifyReady();
  } catch (error) {
    await application.close();
    throw error;
  }
}

/** Opens the application, and prints what takes so long after {@link SILENCE_MS}. */
async function reportIfSlow<Result>(config: Config, open: () => Promise<Result>): Promise<Result> {
  const step = openingStep(config);
  const timer = setTimeout(() => {
    if (config.seat?.prepares !== false) process.stdout.write(`${step}…\n`);
  }, SILENCE_MS);
  try {
    return await open();
  } finally {
    clearTimeout(timer);
  }
}

function openingStep({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) return 'Connecting to PostgreSQL and applying migrations and schemas';
  const verb = existsSync(join(dataDir, 'postgres')) ? 'Starting' : 'Creating';
  return `${verb} the embedded PostgreSQL in ${dataDir} and applying migrations and schemas`;
}

/** Keeps the process alive. Without a listener and a database connection, nothing else would. */
function stayAlive(): void {
  setInterval(() => undefined, 3_600_000);
}

async function withWorkerSlot(config: Config): Promise<Config> {
  if (cluster.isPrimary || config.workers === 1) return config;
  return Object.freeze({ ...config, seat: await requestWorkerSlot() });
}

/**
 * Checks the ports before anything is written. Migrations may take minutes.
 *
 * @throws ListenError MetricsListenError
 */
async function assertPortsFree({ host, port, metrics, seat, jobs }: Config): Promise<void> {
  if (jobs.role !== 'work') await assertFree({ host, port }, (cause) => new ListenError({ host, port }, cause));
  // The supervisor of several workers serves the metrics of all of them.
  if (metrics !== null && seat === null) await assertFree(metrics, (cause) => new MetricsListenError(metrics, cause));
}

async function assertFree({ host, port }: ListenAddress, fault: (cause: unknown) => Error): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw fault(error);
  }
  await new Promise((closed) => server.close(closed));
}
