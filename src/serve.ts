import 'reflect-metadata';
import cluster from 'node:cluster';
import type { AppDefinition } from './app-definition.js';
import type { Environment } from './platform/config/parse-config.js';

/**
 * Runs the service, or an application of a team's own, as the work of this process: configuration, database, migrations,
 * built-in roles, schema files, HTTP, and a stop in order; or watches over several that do (`WORKERS`). A start that fails says
 * why and ends the process with code 1.
 *
 * @param overrides variables that win over those of the process and of `.env`.
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
    const { describeStartFault } = await import('./start-faults.js');
    const description = describeStartFault(error);
    if (description !== '') process.stderr.write(`${description}\n`);
    process.exit(1);
  }
}
