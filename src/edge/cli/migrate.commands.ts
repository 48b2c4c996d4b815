import { type Command, Option } from 'commander';
import type { Migrator } from '../../platform/database/database.public.js';
import { type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

interface Options {
  readonly json?: boolean;
  readonly of?: 'app' | 'service';
}

export function addMigrateCommands(program: Command, context: CommandContext): void {
  const of = (description: string): Option => new Option('--of <owner>', description).choices(['app', 'service']);
  program
    .command('migrate:up')
    .description('apply pending migrations: first those of the service, then those of the application')
    .addOption(of('only the migrations of app or service'))
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const applied = await context.withMigrators(async (...migrators) => {
        const names: string[] = [];
        for (const { migrator } of chosen(migrators, options.of)) names.push(...(await migrator.up()));
        return names;
      });
      print(options.json, { applied }, applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.join(', ')}.`);
    });
  program
    .command('migrate:down')
    .description('revert the latest migration; its data is lost')
    .addOption(of('app or service; required if the application has migrations'))
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const reverted = await context.withMigrators((...migrators) => {
        const [first, second] = chosen(migrators, options.of);
        if (second === undefined && first !== undefined) return first.migrator.down();
        throw new CommandError('Specify the owner of the migration: --of app or --of service.');
      });
      print(options.json, { reverted }, reverted === null ? 'Nothing to revert.' : `Reverted ${reverted}.`);
    });
  program
    .command('migrate:status')
    .description('list the migrations; exit code 1 if migrations are pending')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const migrations = await context.withMigrators(async (...migrators) => {
        const all = [];
        for (const { of: owner, migrator } of chosen(migrators, undefined))
          for (const status of await migrator.status())
            all.push({ ...status, ...(owner === 'app' ? { of: owner } : {}) });
        return all;
      });
      const rows = migrations.map(({ name, applied }) => [name, applied ? 'applied' : 'pending']);
      print(json, { migrations }, table(['migration', 'state'], rows));
      if (migrations.some(({ applied }) => !applied)) process.exitCode = 1;
    });
}

function chosen([service, own]: readonly [Migrator, Migrator | null], of: Options['of']) {
  if (of === 'app' && own === null) throw new CommandError('The application has no migrations.');
  const all = [{ of: 'service', migrator: service }, ...(own === null ? [] : [{ of: 'app', migrator: own }])];
  return all.filter((one) => of === undefined || one.of === of);
}
