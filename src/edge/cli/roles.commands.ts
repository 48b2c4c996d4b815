import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { SeedChange } from '../../identity/users/users.public.js';
import { type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

interface SeedOptions {
  readonly file?: string;
  readonly merge?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addRolesCommands(program: Command, context: CommandContext): void {
  program
    .command('roles:seed')
    .description(
      'set the permissions of roles to those of a file, and delete all others; without a file, create missing built-in roles',
    )
    .argument('[file]', 'roles file; the same as --file')
    .option(
      '--file <path>',
      'JSON: {"roles": [{"name", "description", "root", "mfa", "mfa_grace_days", "file_quota", "permissions": [{"resource", "value", "fields"}]}]}',
    )
    .option('--merge', 'add permissions and delete none')
    .option('--dry-run', 'show the changes without applying them')
    .option('--json', 'print JSON')
    .action((path: string | undefined, options: SeedOptions) => {
      if (path !== undefined && options.file !== undefined)
        throw new CommandError('Specify the roles file once: as the argument or with --file.');
      return seed(context, { ...options, file: path ?? options.file });
    });
}

async function seed(context: CommandContext, { file, merge, dryRun = false, json }: SeedOptions): Promise<void> {
  if (file === undefined && merge === true) throw new CommandError('--merge requires a roles file.');
  const text = file === undefined ? null : readText(file);
  const { ruleFault } = await import('../../data/content/content.public.js');
  const { parseRoleFile, RoleSeeder } = await import('../../identity/users/users.public.js');
  // Errors that do not depend on the schemas are reported before anything is started.
  if (text !== null) parseRoleFile(text, (resource, rule) => ruleFault(null, resource, rule));
  const changes = await context.withApplication(async (app) => {
    const seeder = app.get(RoleSeeder);
    if (text === null) return seeder.seedMissingBuiltIns(dryRun);
    const { SchemaSnapshots } = await import('../../data/schema/schema-snapshots.service.js');
    const { lastReuse } = await import('../../data/schema/schema.public.js');
    const { current } = app.get(SchemaSnapshots);
    const definitions = parseRoleFile(text, (resource, rule) => ruleFault(current, resource, rule));
    const merged = merge === true ? definitions.map((role) => ({ ...role, merge })) : definitions;
    return seeder.seed(merged, { dryRun, reusedAt: lastReuse(current.history) });
  });
  print(json, { dry_run: dryRun, changes }, changes.length === 0 ? 'Nothing to change.' : report(changes, dryRun));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new CommandError(`${file} cannot be read: ${String(error.code)}`);
    throw error;
  }
}

function report(changes: readonly SeedChange[], dryRun: boolean): string {
  const rows = changes.map(({ action, role, resource, detail }) => [action, role, resource ?? '(role)', detail]);
  const count = `${changes.length} change${changes.length === 1 ? '' : 's'}${dryRun ? ' would be applied' : ' applied'}`;
  return `${table(['action', 'role', 'resource', 'value'], rows)}\n\n${count}.`;
}
