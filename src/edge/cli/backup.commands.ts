import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { DatabaseConnection } from '../../platform/database/database.public.js';
import { applicationOn, type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

interface BackupOptions {
  readonly to?: string;
  readonly json?: boolean;
}

export interface VerifyOptions {
  readonly from?: string;
  readonly at?: string;
  readonly json?: boolean;
}

/** A timestamp with at least seconds and a time zone, so that it is unambiguous. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;
export const AT = [
  '--at <moment>',
  'as of then, such as 2026-11-22T20:15:00Z; as far as the log goes unless given',
] as const;

export function addBackupCommands(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('back the embedded database up while it is used, and remove backups that are not needed any more')
    .option('--to <directory>', 'where all backups are; BACKUP_DIR unless given')
    .option('--json', 'print JSON')
    .action((options: BackupOptions) => backUp(context, options));
  program
    .command('backup:verify')
    .description(
      'do all of a restore but its last step: compare every file, start a server on the copy, check and count its tables',
    )
    .option('--from <directory>', 'where all backups are, or one of them; BACKUP_DIR unless given')
    .option(...AT)
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => verify(context, options));
}

async function backUp(context: CommandContext, { to, json }: BackupOptions): Promise<void> {
  const backup = await context.withApplication(async (app) => {
    const { Backups } = await import('../../platform/backup/backups.service.js');
    return app.get(Backups).take(to === undefined ? undefined : resolve(to));
  });
  const { id, directory, startedAt, endedAt, bytes } = backup;
  const answer = { id, directory, started_at: startedAt, ended_at: endedAt, bytes };
  print(json, answer, `${directory}, ${sizeOf(bytes)}: leads to ${endedAt}${' '}and, with the log, later.`);
}

async function verify(context: CommandContext, { from, at, json }: VerifyOptions): Promise<void> {
  const { config, loaded } = await context.loadConfig();
  const { verifyBackup } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { wordingBackupFaults } = await import('../../platform/backup/backup.public.js');
  const { embeddedPlace } = await import('../../platform/database/database.public.js');
  const moment = momentOf(at);
  const { backup, until, result } = await wordingBackupFaults(() =>
    verifyBackup({
      ...embeddedPlace(config),
      from: from ?? config.backup.directory,
      ...(moment !== undefined && { at: moment }),
      work: (url) =>
        applicationOn(copyAt(url), {
          loaded,
          config,
          work: async (app) => {
            const { RestoredDatabase } = await import('../../platform/backup/restored-database.service.js');
            return app.get(RestoredDatabase).countRows();
          },
        }),
    }),
  );
  const rows = Object.entries(result).map(([name, count]) => [name, String(count)]);
  const verdict = `${backup.directory} leads to ${until.toISOString()}; every file, table and index is as it was written.`;
  print(
    json,
    { id: backup.id, until: until.toISOString(), rows: result },
    `${table(['table', 'rows'], rows)}\n\n${verdict}`,
  );
}

/** Returns the connection to a copy. Its server is stopped by the code that started it, so `release` does nothing. */
export function copyAt(url: string): DatabaseConnection {
  return { address: { url }, embedded: true, release: () => Promise.resolve() };
}

/** Parses a timestamp. @throws CommandError for an invalid one. */
export function momentOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text)))
    throw new CommandError(
      '--at takes a moment with its zone, such as 2026-11-22T20:15:00Z or 2026-11-22T21:15:00+01:00.',
    );
  return new Date(text);
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
