import type { AppDefinition } from '../application/app-definition.js';

/**
 * Runs an application in this process: without arguments it serves, with arguments it runs a command (`node main.js migrate:up`).
 *
 * @param argv the arguments of the process, in the form of `process.argv`.
 */
export async function run(definition: AppDefinition, argv: readonly string[] = process.argv): Promise<void> {
  if (argv.length > 2) {
    const { runCommand } = await import('./run-command.js');
    return runCommand(argv, definition);
  }
  const { serve } = await import('./serve.js');
  return serve(definition);
}

/**
 * Runs the background jobs of an application in this process, regardless of `ROLE`: the start is the same, but no port is opened.
 * `JOB_KINDS` selects kinds of jobs, `WORKERS` the number of processes. If the start fails, the process prints one sentence and exits
 * with code 1.
 *
 * @param argv the arguments of the process, in the form of `process.argv`; a command runs as with {@link run}.
 */
export async function runWorker(definition: AppDefinition, argv: readonly string[] = process.argv): Promise<void> {
  if (argv.length > 2) return run(definition, argv);
  const { serve } = await import('./serve.js');
  return serve(definition, { ROLE: 'work' });
}
