import type { Command } from 'commander';
import { configurationInForce, parseConfig, readEnvironment } from '../../platform/config/config.public.js';
import { START_CHECKS } from '../../start-checks.js';
import { print, table } from './output.js';

/** `config:check` */
export function addConfigCommands(program: Command): void {
  program
    .command('config:check')
    .description('check the configuration and print what is in force, secrets masked; exit code 1 when it has faults')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) => {
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
