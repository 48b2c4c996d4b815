import type { Command } from 'commander';
import { print, table } from './output.js';

/** `config:check` */
export function addConfigCommands(program: Command): void {
  program
    .command('config:check')
    .description('check the configuration and print what is in force, secrets masked; exit code 1 when it has faults')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { configurationInForce, parseConfig, readEnvironment } =
        await import('../../platform/config/config.public.js');
      const { START_CHECKS } = await import('../../start-checks.js');
      const environment = readEnvironment();
      const rows = configurationInForce(environment, parseConfig(environment, START_CHECKS));
      print(
        json,
        rows,
        table(
          ['variable', 'value', 'source'],
          rows.map(({ name, value, source }) => [name, value, source]),
        ),
      );
    });
}
