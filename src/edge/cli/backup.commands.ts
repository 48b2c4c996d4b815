import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { EndedByRestore, EndedCounts, Restoration } from '../../platform/backup/restored-database.service.js';
import type { Config } from '../../platform/config/config.types.js';
import type { DatabaseConnection } from '../../platform/database/database.public.js';
import { applicationOn, type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

interface BackupOptions {
  readonly to?: string;
  readonly json?: boolean;
}

interface VerifyOptions {
  readonly from?: string;
  readonly at?: string;
  readonly json?: boolean;
}

/** A timestamp with at least seconds and a time zone, so that it is unambiguous. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/;
const AT = ['--at <timestamp>', 'point in time, such as 2026-11-22T20:15:00Z (default: the end of the log)'] as const;

export function addBackupCommands(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('back up the embedded database while it is in use, and delete expired backups')
    .option('--to <directory>', 'backup directory (default: BACKUP_DIR)')
    .option('--json', 'print JSON')
    .action((options: BackupOptions) => backUp(context, options));
  program
    .command('backup:verify')
    .description(
      'test a restore without replacing the database: compare all files, start a server on the copy, check and count its tables',
    )
    .option('--from <directory>', 'backup directory, or a single backup (default: BACKUP_DIR)')
    .option(...AT)
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => verify(context, options));
}

async function backUp(context: CommandContext, { to, json }: BackupOptions): Promise<void> {
  const backup = await context.withApplication(async (app) => {
    const { Backups } = await import('../../platform/backup/backups.service.js');
    return app.get(Backups).create(to === undefined ? undefined : resolve(to));
  });
  const { id, directory, startedAt, endedAt, bytes } = backup;
  const answer = { id, directory, started_at: startedAt, ended_at: endedAt, bytes };
  const range = `can restore ${endedAt} and, with the log, later points in time`;
  print(json, answer, `${directory}, ${sizeOf(bytes)}: ${range}.`);
}

async function verify(context: CommandContext, { from, at, json }: VerifyOptions): Promise<void> {
  const { config, loaded } = await context.loadConfig();
  const { verifyBackup } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { embeddedDirectory, withEmbeddedErrors } = await import('../../platform/database/database.public.js');
  const time = parseTimestamp(at);
  const { backup, until, result } = await withEmbeddedErrors(() =>
    verifyBackup({
      ...embeddedDirectory(config),
      from: from ?? config.backup.directory,
      ...(time !== undefined && { at: time }),
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
  const verdict = `${backup.directory} can restore ${until.toISOString()}. All files, tables and indexes are intact.`;
  print(
    json,
    { id: backup.id, until: until.toISOString(), rows: result },
    `${table(['table', 'rows'], rows)}\n\n${verdict}`,
  );
}

/** Returns the connection to a copy. Its server is stopped by the code that started it, so `release` does nothing. */
function copyAt(url: string): DatabaseConnection {
  return { address: { url }, embedded: true, release: () => Promise.resolve() };
}

/** Parses a timestamp. @throws CommandError for an invalid one. */
function parseTimestamp(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!TIMESTAMP.test(text) || Number.isNaN(Date.parse(text)))
    throw new CommandError(
      '--at requires a timestamp with a time zone, such as 2026-11-22T20:15:00Z or 2026-11-22T21:15:00+01:00.',
    );
  return new Date(text);
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

interface PromoteOptions {
  readonly keep?: string;
  readonly json?: boolean;
}

interface RestoreOptions extends VerifyOptions {
  readonly keep?: string;
  readonly otherKey?: boolean;
}

const KEEP_OPTION = [
  '--keep <kinds>',
  'kinds of credentials to keep: sessions,secrets,keys (default: all are revoked)',
] as const;

export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description(
      'replace the embedded database with a backup; the current database is kept aside; the service must be stopped',
    )
    .option('--from <directory>', 'backup directory, or a single backup (default: BACKUP_DIR)')
    .option(...AT)
    .option(...KEEP_OPTION)
    .option('--other-key', 'restore although APP_KEY differs; secrets encrypted with the previous key cannot be read')
    .option('--json', 'print JSON')
    .action((options: RestoreOptions) => restore(context, options));
}

export function addPromoteCommand(program: Command, context: CommandContext): void {
  program
    .command('promote')
    .description(
      'replace the embedded database with the standby of EMBEDDED_STANDBY_DIR; the current database is kept aside; the service must be stopped',
    )
    .option(...KEEP_OPTION)
    .option('--json', 'print JSON')
    .action((options: PromoteOptions) => promote(context, options));
}

async function restore(context: CommandContext, options: RestoreOptions): Promise<void> {
  const { from, at, json, otherKey = false } = options;
  const keep = await parseKept(options.keep);
  const time = parseTimestamp(at);
  const { config, settle } = await openRecovery(context);
  const { restoreBackup } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { embeddedDirectory, withEmbeddedErrors } = await import('../../platform/database/database.public.js');
  const assertKey = otherKey ? () => undefined : await keyCheck(config);
  const { backup, until, kept, result } = await withEmbeddedErrors(() =>
    restoreBackup({
      ...embeddedDirectory(config),
      from: from ?? config.backup.directory,
      ...(time !== undefined && { at: time }),
      accept: ({ facts }) => assertKey(facts),
      work: (url, source) => settle(url, { from: { backup: source.backup.id, until: source.until }, keep }),
    }),
  );
  const answer = { id: backup.id, until: until.toISOString(), ended: result, previous: kept };
  print(json, answer, report(`The database was restored to ${until.toISOString()}.`, result, kept));
}

async function promote(context: CommandContext, options: PromoteOptions): Promise<void> {
  const keep = await parseKept(options.keep);
  const { config, settle } = await openRecovery(context);
  const standby = config.standbyDir;
  if (standby === null) throw new CommandError('EMBEDDED_STANDBY_DIR must be set to the directory of the standby.');
  const { promoteStandby } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { embeddedDirectory, withEmbeddedErrors } = await import('../../platform/database/database.public.js');
  const { result, kept } = await withEmbeddedErrors(() =>
    promoteStandby({ ...embeddedDirectory(config), standby, work: (url) => settle(url, { from: null, keep }) }),
  );
  const summary = 'The standby was promoted to the database. The next start of the service creates another standby.';
  print(options.json, { ended: result, previous: kept }, report(summary, result, kept));
}

/** Loads the dependencies of commands that replace the embedded database. `settle` prepares a copy for use. */
async function openRecovery(context: CommandContext): Promise<{
  readonly config: Config;
  readonly settle: (url: string, restoration: Restoration) => Promise<EndedCounts>;
}> {
  const { config, loaded } = await context.loadConfig();
  if (config.databaseUrl !== undefined)
    throw new CommandError('Only the embedded database can be restored, and DATABASE_URL is set. Unset it.');
  const { RestoredDatabase } = await import('../../platform/backup/restored-database.service.js');
  const settle = (url: string, restoration: Restoration): Promise<EndedCounts> =>
    applicationOn(copyAt(url), { loaded, config, work: (app) => app.get(RestoredDatabase).settle(restoration) });
  return { config, settle };
}

async function parseKept(text: string | undefined): Promise<readonly EndedByRestore[]> {
  const { ENDED_BY_RESTORE } = await import('../../platform/backup/restored-database.service.js');
  const names = text?.split(',') ?? [];
  const values = names.flatMap((word) => ENDED_BY_RESTORE.find((one) => one === word) ?? []);
  if (values.length !== names.length)
    throw new CommandError(`--keep accepts ${ENDED_BY_RESTORE.join(',')}, separated by commas.`);
  return values;
}

async function keyCheck({
  appKey,
  appKeysPrevious,
}: Config): Promise<(facts: Readonly<Record<string, string>>) => void> {
  const { KeyRing } = await import('../../kernel/keys/key-ring.js');
  const { KEY_FACT } = await import('../../platform/backup/backups.service.js');
  const ring = new KeyRing(appKey, appKeysPrevious);
  return (facts) => {
    const keyId = facts[KEY_FACT];
    if (keyId === undefined || ring.has(keyId)) return;
    throw new CommandError(
      'The backup was created with another APP_KEY, so its secrets cannot be read. Set that key as APP_KEY or in APP_KEY_PREVIOUS (without APP_KEY, it was in $DATA_DIR/app.key), or use --other-key.',
    );
  };
}

function report(summary: string, ended: EndedCounts, kept: string | null): string {
  const counts = Object.entries(ended).map(([what, count]) => `${count} ${what}`);
  const lines = [summary];
  if (counts.length > 0) lines.push(`Revoked, because they may have been revoked since: ${counts.join(', ')}.`);
  if (kept !== null) lines.push(`The previous database is in ${kept}. Delete it when it is no longer needed.`);
  return lines.join('\n');
}
