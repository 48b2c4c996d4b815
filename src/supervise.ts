import { Ending } from './ending.js';
import type { Config } from './platform/config/config.types.js';
import { readEnvironment } from './platform/config/load-config.js';
import { ConfigError, parseConfig } from './platform/config/parse-config.js';
import { SERVICE_VARIABLES } from './platform/config/service.variables.js';
import { DATABASE_VARIABLES } from './platform/database/database.variables.js';
import { createLogger } from './platform/http/logger.js';
import { joinMetrics, MetricsEndpoint } from './platform/metrics/metrics-endpoint.js';
import { METRICS_VARIABLES } from './platform/metrics/metrics.variables.js';
import { WorkerSupervisor } from './platform/workers/worker-supervisor.js';

/** Variables that this process itself needs. The workers read all of them. */
const VARIABLES = [SERVICE_VARIABLES, DATABASE_VARIABLES, METRICS_VARIABLES];

/**
 * Watches over the processes of `WORKERS` until this one is asked to stop, and returns true; false if one process is all that is
 * wanted. It holds the lease of the embedded database and answers `/metrics` for all, and loads nothing of the application.
 *
 * @throws WorkersEnded, MetricsListenError, EmbeddedDatabaseError after the workers have ended.
 */
export async function superviseWorkers(): Promise<boolean> {
  const config = readSettings();
  if (config === null || config.workers === 1) return false;
  const logger = createLogger(config.logLevel);
  const ending = new Ending(logger);
  const supervisor = new WorkerSupervisor(config.workers, logger);
  const metrics = endpointOf(supervisor, config, (err) => logger.error({ err, msg: 'The metrics could not be read.' }));
  try {
    await metrics?.listen();
    await supervisor.start();
    const release = await holdDatabase(config);
    ending.finishWith(async () => {
      await supervisor.stop();
      await metrics?.close();
      await release();
    });
    if (metrics !== null) logger.info({ url: metrics.url, msg: 'The metrics of all workers can be read.' });
    await supervisor.ended;
    return true;
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Reads the settings, or null. A configuration with faults is left to the application: it tells all of them at once. */
function readSettings(): Config | null {
  try {
    return parseConfig(readEnvironment(), VARIABLES);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function endpointOf(
  supervisor: WorkerSupervisor,
  { metrics }: Config,
  failed: (error: unknown) => void,
): MetricsEndpoint | null {
  const write = async () => joinMetrics((await supervisor.metrics()).map(({ text }) => text));
  return metrics === null ? null : new MetricsEndpoint(metrics, write, failed);
}

/** Holds the embedded database. The embedded server lives as long as somebody holds a lease: this one stays if all workers die at once. */
async function holdDatabase(config: Config): Promise<() => Promise<void>> {
  if (config.databaseUrl !== undefined) return () => Promise.resolve();
  const { openDatabase } = await import('./platform/database/database-connection.js');
  const connection = await openDatabase(config);
  return () => connection.release();
}
