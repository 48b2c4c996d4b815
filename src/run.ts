import type { AppDefinition } from './app-definition.js';

/**
 * Runs an application as the work of this process: serves, or does what a command asks (`node main.js migrate:up`). What is
 * not needed is not loaded: a command waits for little of the application.
 *
 * @param argv the arguments of the process, as `process.argv` has them.
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
 * Runs the background jobs of an application in this process, whatever `ROLE` is: configuration, database, migrations, built-in roles
 * and schema files as at every start, but no port for requests. `JOB_KINDS` selects kinds of jobs, `WORKERS` the number of processes.
 * A start that fails prints one sentence and ends the process with code 1.
 *
 * @param argv the arguments of the process, as `process.argv` has them; a command runs as with {@link run}.
 */
export async function runWorker(definition: AppDefinition, argv: readonly string[] = process.argv): Promise<void> {
  if (argv.length > 2) return run(definition, argv);
  const { serve } = await import('./serve.js');
  return serve(definition, { ROLE: 'work' });
}
