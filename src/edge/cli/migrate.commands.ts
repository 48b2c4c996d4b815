import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import { print, table } from './output.js';

interface Options {
  readonly json?: boolean;
}

/** `migrate:up`, `migrate:down`, `migrate:status` */
export function addMigrateCommands(program: Command, context: CommandContext): void {
  program
    .command('migrate:up')
    .description('apply the migrations that are pending')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const applied = await context.withMigrator((migrator) => migrator.up());
      print(json, { applied }, applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.join(', ')}.`);
    });
  program
    .command('migrate:down')
    .description('revert the newest migration; its data is lost')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const reverted = await context.withMigrator((migrator) => migrator.down());
      print(json, { reverted }, reverted === null ? 'Nothing to revert.' : `Reverted ${reverted}.`);
    });
  program
    .command('migrate:status')
    .description('list the migrations; exit code 1 when some are pending')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const migrations = await context.withMigrator((migrator) => migrator.status());
      const rows = migrations.map(({ name, applied }) => [name, applied ? 'applied' : 'pending']);
      print(json, { migrations }, table(['migration', 'state'], rows));
      if (migrations.some(({ applied }) => !applied)) process.exitCode = 1;
    });
}
