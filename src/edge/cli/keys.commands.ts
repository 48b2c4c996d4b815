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
      're-encrypt stored secrets from the keys in APP_KEY_PREVIOUS to APP_KEY; exit code 1 if secrets remain under another key (to replace an API key, use keys:replace)',
    )
    .option('--dry-run', 'show the secrets that would be re-encrypted, and change nothing')
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
  const headings = ['stored', dryRun ? 'to re-encrypt' : 're-encrypted', 'unreadable', 'left'];
  return `${table(headings, rows)}\n\n${verdict(secrets, dryRun)}`;
}

function verdict(secrets: readonly RotatedSecrets[], dryRun: boolean): string {
  if (secrets.some(({ unreadable }) => unreadable > 0))
    return 'Unreadable secrets are encrypted with a key that is neither APP_KEY nor in APP_KEY_PREVIOUS. Add that key and run this command again.';
  if (secrets.some(({ left }) => left > 0))
    return 'Some secrets are locked by other transactions. Run this command again.';
  if (dryRun && secrets.some(({ resealed }) => resealed > 0)) return 'Nothing was changed.';
  return 'All secrets are encrypted with APP_KEY. When no process uses the previous key as APP_KEY, remove APP_KEY_PREVIOUS.';
}
