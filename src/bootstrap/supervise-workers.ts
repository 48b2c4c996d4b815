import { Shutdown } from './shutdown.js';
import type { Config } from '../platform/config/config.types.js';
import { readEnvironment } from '../platform/config/load-config.js';
import { ConfigError, parseConfig } from '../platform/config/parse-config.js';
import { SERVICE_VARIABLES } from '../platform/config/service.variables.js';
import { DATABASE_VARIABLES } from '../platform/database/database.variables.js';
import { createLogger } from '../platform/http/server/logger.js';
import { joinMetrics, MetricsEndpoint } from '../platform/metrics/metrics-endpoint.js';
import { METRICS_VARIABLES } from '../platform/metrics/metrics.variables.js';
import { WorkerSupervisor } from '../platform/workers/worker-supervisor.js';

/** Variables that this process needs. The workers parse all variables. */
const VARIABLES = [SERVICE_VARIABLES, DATABASE_VARIABLES, METRICS_VARIABLES];

/**
 * Supervises the worker processes of `WORKERS` until this process is stopped, and returns true. Returns false immediately if only one
 * process is configured. It keeps a lease of the embedded database, serves `/metrics` for all workers, and does not load the application.
 *
 * @throws WorkersFailed, MetricsListenError, EmbeddedDatabaseError after the workers have ended.
 */
export async function superviseWorkers(): Promise<boolean> {
  const config = readSettings();
  if (config === null || config.workers === 1) return false;
  const logger = createLogger(config.logLevel);
  const shutdown = new Shutdown(logger);
  const supervisor = new WorkerSupervisor(config.workers, logger);
  const metrics = endpointOf(supervisor, config, (err) => logger.error({ err, msg: 'The metrics could not be read.' }));
  try {
    await metrics?.listen();
    await supervisor.start();
    const release = await keepDatabaseOpen(config);
    shutdown.finishWith(async () => {
      await supervisor.stop();
      await metrics?.close();
      await release();
    });
    if (metrics !== null) logger.info({ url: metrics.url, msg: 'Metrics of all workers are available.' });
    await supervisor.ended;
    return true;
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Returns null for an invalid configuration: the application reports all its errors. */
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

/** Takes a lease, so that the embedded server survives the death of all workers. It stops with the last lease. */
async function keepDatabaseOpen(config: Config): Promise<() => Promise<void>> {
  if (config.databaseUrl !== undefined) return () => Promise.resolve();
  const { openDatabase } = await import('../platform/database/connections/database-connection.js');
  const connection = await openDatabase(config);
  return () => connection.release();
}
