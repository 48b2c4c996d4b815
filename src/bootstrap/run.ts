import 'reflect-metadata';
import cluster from 'node:cluster';
import type { AppDefinition } from '../application/app-definition.js';
import type { Environment } from '../platform/config/parse-config.js';

/**
 * Runs an application in this process. Without arguments it starts the server, with arguments it runs a command
 * (`node main.js migrate:up`). If the start fails, the process prints the reason and exits with code 1.
 *
 * @param argv the arguments of the process, in the form of `process.argv`.
 */
export async function run(definition: AppDefinition, argv: readonly string[] = process.argv): Promise<void> {
  await (argv.length > 2 ? runCommandLine(definition, argv) : serve(definition));
}

/**
 * Runs the background jobs of an application in this process, regardless of `ROLE`: the start is the same, but no port is opened.
 * `JOB_KINDS` selects kinds of jobs, `WORKERS` the number of processes. If the start fails, the process prints the reason and exits with
 * code 1.
 *
 * @param argv the arguments of the process, in the form of `process.argv`; a command runs as with {@link run}.
 */
export async function runWorker(definition: AppDefinition, argv: readonly string[] = process.argv): Promise<void> {
  await (argv.length > 2 ? runCommandLine(definition, argv) : serve(definition, { ROLE: 'work' }));
}

// Modules are imported on demand: commands start faster without the server, and a supervisor uses less memory.

async function runCommandLine(definition: AppDefinition, argv: readonly string[]): Promise<void> {
  const { runCommand } = await import('./run-command.js');
  await runCommand(argv, definition);
}

async function serve(definition: AppDefinition, overrides: Environment = {}): Promise<void> {
  try {
    if (cluster.isPrimary) {
      const { superviseWorkers } = await import('./supervise-workers.js');
      if (await superviseWorkers()) return;
    }
    const { startService } = await import('./start-service.js');
    await startService(definition, overrides);
  } catch (error) {
    const { describeStartupError } = await import('../application/startup-errors.js');
    const description = describeStartupError(error);
    if (description !== '') process.stderr.write(`${description}\n`);
    process.exit(1);
  }
}
