import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ruleFault } from '../content/resolve/rule-fault.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';
import type { SchemaSnapshot } from '../schema/snapshot/schema-snapshot.types.js';
import { parseRoleFile, type RoleDefinition } from '../users/role-file.js';
import { RoleSeeder, type SeedChange } from '../users/role-seeder.js';
import type { CommandContext } from './command-context.js';
import { CommandError } from './command-error.js';
import { print, table } from './output.js';

interface SeedOptions {
  readonly file?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `roles:seed` */
export function addRolesCommands(program: Command, context: CommandContext): void {
  program
    .command('roles:seed')
    .description('bring roles and permissions to what a file says; without one, make the missing built-in roles')
    .option(
      '--file <path>',
      'JSON: {"roles": [{"name", "description", "root", "permissions": [{"resource", "value", "fields"}]}]}',
    )
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--json', 'print JSON')
    .action((options: SeedOptions) => seed(context, options));
}

async function seed(context: CommandContext, { file, dryRun = false, json }: SeedOptions): Promise<void> {
  const definitions = file === undefined ? null : readRoles(file);
  const changes = await context.withApplication((app) => {
    if (definitions === null) return app.get(RoleSeeder).seedMissingBuiltIns(dryRun);
    assertRules(definitions, app.get(SchemaSnapshots).current);
    return app.get(RoleSeeder).seed(definitions, dryRun);
  });
  print(json, { dry_run: dryRun, changes }, changes.length === 0 ? 'Nothing to change.' : report(changes, dryRun));
}

function readRoles(file: string): RoleDefinition[] {
  try {
    return parseRoleFile(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new CommandError(`${file} cannot be read: ${String(error.code)}`);
    throw error;
  }
}

/** Rules are judged when they are saved: one that could not become a part of a statement would open nothing. */
function assertRules(definitions: readonly RoleDefinition[], snapshot: SchemaSnapshot): void {
  const faults = definitions.flatMap(({ name, permissions = [] }) =>
    permissions.flatMap(({ resource, value }) => {
      const fault = ruleFault(snapshot, resource, value);
      return fault === null
        ? []
        : [`  - ${name}: ${resource}: ${fault.message} (characters ${fault.range.start} to ${fault.range.end})`];
    }),
  );
  if (faults.length > 0) throw new CommandError(['These rules cannot be used:', ...faults].join('\n'));
}

function report(changes: readonly SeedChange[], dryRun: boolean): string {
  const rows = changes.map(({ action, role, resource, detail }) => [action, role, resource ?? '(role)', detail]);
  const count = `${changes.length} change${changes.length === 1 ? '' : 's'}${dryRun ? ' would be made' : ' made'}`;
  return `${table(['action', 'role', 'resource', 'value'], rows)}\n\n${count}.`;
}
