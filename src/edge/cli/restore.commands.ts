import type { Command } from 'commander';
import type { EndedByRestore, EndedCounts, Restoration } from '../../platform/backup/backup.public.js';
import type { Config } from '../../platform/config/config.types.js';
import { AT, copyAt, momentOf, type VerifyOptions } from './backup.commands.js';
import { applicationOn, type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';

interface PromoteOptions {
  readonly keep?: string;
  readonly json?: boolean;
}

interface RestoreOptions extends VerifyOptions {
  readonly keep?: string;
  readonly otherKey?: boolean;
}

const KEEP = [
  '--keep <what>',
  'what stays as it was then, of sessions,secrets,keys; all three have ended unless given',
] as const;

export function addRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description(
      'put the embedded database of a backup in place of the one that is there, which is kept; the service must not run',
    )
    .option('--from <directory>', 'where all backups are, or one of them; BACKUP_DIR unless given')
    .option(...AT)
    .option(...KEEP)
    .option(
      '--other-key',
      'restore although APP_KEY is another one: what is stored under the one of then cannot be read',
    )
    .option('--json', 'print JSON')
    .action((options: RestoreOptions) => restore(context, options));
}

export function addPromoteCommand(program: Command, context: CommandContext): void {
  program
    .command('promote')
    .description(
      'put the standby of EMBEDDED_STANDBY_DIR in place of the embedded database, which is kept; the service must not run',
    )
    .option(...KEEP)
    .option('--json', 'print JSON')
    .action((options: PromoteOptions) => promote(context, options));
}

async function restore(context: CommandContext, options: RestoreOptions): Promise<void> {
  const { from, at, json, otherKey = false } = options;
  const keep = await keptOf(options.keep);
  const moment = momentOf(at);
  const { config, settle } = await openRecovery(context);
  const { restoreBackup } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { wordingBackupFaults } = await import('../../platform/backup/backup.public.js');
  const { embeddedPlace } = await import('../../platform/database/database.public.js');
  const assertKey = otherKey ? () => undefined : await keyCheck(config);
  const { backup, until, kept, result } = await wordingBackupFaults(() =>
    restoreBackup({
      ...embeddedPlace(config),
      from: from ?? config.backup.directory,
      ...(moment !== undefined && { at: moment }),
      accept: ({ facts }) => assertKey(facts),
      work: (url, source) => settle(url, { from: { backup: source.backup.id, until: source.until }, keep }),
    }),
  );
  const answer = { id: backup.id, until: until.toISOString(), ended: result, previous: kept };
  print(json, answer, report(`The database is as it was at ${until.toISOString()}.`, result, kept));
}

async function promote(context: CommandContext, options: PromoteOptions): Promise<void> {
  const keep = await keptOf(options.keep);
  const { config, settle } = await openRecovery(context);
  const standby = config.standbyDir;
  if (standby === null) throw new CommandError('EMBEDDED_STANDBY_DIR must say where the standby is.');
  const { promoteStandby } = await import('../../../packages/embedded-postgres/src/embedded-postgres.js');
  const { wordingBackupFaults } = await import('../../platform/backup/backup.public.js');
  const { embeddedPlace } = await import('../../platform/database/database.public.js');
  const { result, kept } = await wordingBackupFaults(() =>
    promoteStandby({ ...embeddedPlace(config), standby, work: (url) => settle(url, { from: null, keep }) }),
  );
  const summary = 'The standby is the database from now on; the next start of the service makes another one.';
  print(options.json, { ended: result, previous: kept }, report(summary, result, kept));
}

/** Loads the dependencies of commands that replace the embedded database. `settle` prepares a copy for use. */
async function openRecovery(context: CommandContext): Promise<{
  readonly config: Config;
  readonly settle: (url: string, restoration: Restoration) => Promise<EndedCounts>;
}> {
  const { config, loaded } = await context.loadConfig();
  if (config.databaseUrl !== undefined)
    throw new CommandError(
      'Only the embedded database is restored here, and DATABASE_URL names a server: leave it out.',
    );
  const { RestoredDatabase } = await import('../../platform/backup/restored-database.service.js');
  const settle = (url: string, restoration: Restoration): Promise<EndedCounts> =>
    applicationOn(copyAt(url), {
      loaded,
      config,
      work: (app) => app.get(RestoredDatabase).settle(restoration),
    });
  return { config, settle };
}

async function keptOf(text: string | undefined): Promise<readonly EndedByRestore[]> {
  const { ENDED_BY_RESTORE } = await import('../../platform/backup/backup.public.js');
  const words = text?.split(',') ?? [];
  const known = words.flatMap((word) => ENDED_BY_RESTORE.find((one) => one === word) ?? []);
  if (known.length !== words.length)
    throw new CommandError(`--keep takes of ${ENDED_BY_RESTORE.join(',')}, with commas between them.`);
  return known;
}

async function keyCheck({
  appKey,
  appKeysPrevious,
}: Config): Promise<(facts: Readonly<Record<string, string>>) => void> {
  const { KeyRing } = await import('../../kernel/keys/key-ring.js');
  const { KEY_FACT } = await import('../../platform/backup/backup.public.js');
  const ring = new KeyRing(appKey, appKeysPrevious);
  return (facts) => {
    const keyId = facts[KEY_FACT];
    if (keyId === undefined || ring.has(keyId)) return;
    throw new CommandError(
      'The backup was made under another APP_KEY, and secrets in it could not be read: give that one as APP_KEY or in APP_KEY_PREVIOUS ($DATA_DIR/app.key of then, where none was set), or --other-key.',
    );
  };
}

function report(summary: string, ended: EndedCounts, kept: string | null): string {
  const counts = Object.entries(ended).map(([what, count]) => `${count} ${what}`);
  const lines = [summary];
  if (counts.length > 0) lines.push(`Ended, as they may have ended since: ${counts.join(', ')}.`);
  if (kept !== null) lines.push(`The one before is ${kept}: remove it when nothing is missed.`);
  return lines.join('\n');
}
