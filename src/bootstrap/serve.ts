import 'reflect-metadata';
import cluster from 'node:cluster';
import type { AppDefinition } from '../application/app-definition.js';
import type { Environment } from '../platform/config/parse-config.js';

/**
 * Serves an application: in this process, or in several worker processes that this one supervises (`WORKERS`). If the start fails, the
 * process prints the reason and exits with code 1.
 *
 * @param overrides variables with precedence over the environment and `.env`.
 */
export async function serve(definition: AppDefinition = {}, overrides: Environment = {}): Promise<void> {
  try {
    if (cluster.isPrimary) {
      const { superviseWorkers } = await import('./supervise.js');
      if (await superviseWorkers()) return;
    }
    const { start } = await import('./start.js');
    await start(definition, overrides);
  } catch (error) {
    const { describeStartFault } = await import('../application/startup-errors.js');
    const description = describeStartFault(error);
    if (description !== '') process.stderr.write(`${description}\n`);
    process.exit(1);
  }
}
