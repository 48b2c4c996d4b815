import type { Command } from 'commander';
import { type CommandContext, print, table } from '../../platform/cli/cli.public.js';

export function addConfigCommands(program: Command, context: CommandContext): void {
  program
    .command('config:check')
    .description(
      'check the configuration and print the values in effect, with masked secrets; exit code 1 if it is not valid',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { rows } = await context.configuration();
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
