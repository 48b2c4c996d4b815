import type { AppDefinition } from '../application/app-definition.js';
import { SERVICE_COMMANDS } from '../application/commands.js';
import { runProgram } from '../platform/cli/program.js';

/** Runs a command of an application, and sets the exit code: 0 success, 1 failure, 2 invalid usage. */
export function runCommand(argv: readonly string[], definition: AppDefinition = {}): Promise<void> {
  const { commands = [], variables = [] } = definition;
  return runProgram(argv, {
    isService: Object.keys(definition).length === 0,
    groups: SERVICE_COMMANDS,
    commands,
    variables,
    async load() {
      const { AppModule, applicationTables, applicationVariables } = await import('../app.module.js');
      return {
        variables: applicationVariables(definition),
        tables: applicationTables(definition),
        assemble: (config, connection) => AppModule.forCommand(config, connection, definition),
      };
    },
    async describeFault(error) {
      const { describeStartupError } = await import('../application/startup-errors.js');
      return describeStartupError(error);
    },
  });
}
