import type { Command } from 'commander';
import type { RotatedSecrets } from '../../platform/keys/key-rotation.service.js';
import { type CommandContext, print, table } from '../../platform/cli/cli.public.js';

interface RotateOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Defines `keys:rotate` for the keys of the server. API keys are replaced by `keys:replace`. */
export function addKeysCommands(program: Command, context: CommandContext): void {
  program
    .command('keys:rotate')
    .description(
      'seal what is stored under a key of APP_KEY_PREVIOUS anew, under APP_KEY; exit code 1 when something is left under another key (an API key is replaced by keys:replace)',
    )
    .option('--dry-run', 'show what would be sealed anew, and change nothing')
    .option('--json', 'print JSON')
    .action((options: RotateOptions) => rotate(context, options));
}

async function rotate(context: CommandContext, { dryRun = false, json }: RotateOptions): Promise<void> {
  const secrets = await context.withApplication(async (app) => {
    const { KeyRotation } = await import('../../platform/keys/key-rotation.service.js');
    return app.get(KeyRotation).rotate({ dryRun });
  });
  print(json, { dry_run: dryRun, secrets }, report(secrets, dryRun));
  if (secrets.some(({ unreadable, left }) => unreadable + left > 0)) process.exitCode = 1;
}

function report(secrets: readonly RotatedSecrets[], dryRun: boolean): string {
  const rows = secrets.map(({ name, resealed, unreadable, left }) => [
    name,
    ...[resealed, unreadable, left].map(String),
  ]);
  const headings = ['stored', dryRun ? 'to seal anew' : 'sealed anew', 'unreadable', 'left'];
  return `${table(headings, rows)}\n\n${verdict(secrets, dryRun)}`;
}

function verdict(secrets: readonly RotatedSecrets[], dryRun: boolean): string {
  if (secrets.some(({ unreadable }) => unreadable > 0))
    return 'What is unreadable was sealed by a key that is neither APP_KEY nor in APP_KEY_PREVIOUS: add that key and run this again.';
  if (secrets.some(({ left }) => left > 0)) return 'Some is held by others: run this again.';
  if (dryRun && secrets.some(({ resealed }) => resealed > 0)) return 'Nothing was changed.';
  return 'Everything is under APP_KEY: once no process has the previous key as its APP_KEY, APP_KEY_PREVIOUS can go.';
}
