import type { Command } from 'commander';
import { Clock } from '../../kernel/clock.port.js';
import { newPasswordFrom } from './account-input.js';
import { assertOption, type CommandContext, print } from '../../platform/cli/cli.public.js';

interface CreateOptions {
  readonly email: string;
  readonly username?: string;
  readonly password?: string;
  readonly json?: boolean;
}

export function addAdminCommands(program: Command, context: CommandContext): void {
  program
    .command('admin:create')
    .description('make an active account with the role admin')
    .requiredOption('--email <address>', 'its e-mail address')
    .option('--username <name>', 'its username')
    .option('--password <password>', 'its password; asked for (or read from standard input) when left out')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) => createAdmin(context, options));
}

async function createAdmin(
  context: CommandContext,
  { email, username, password: given, json }: CreateOptions,
): Promise<void> {
  const { optionalUsername, requiredEmail, RoleSeeder } = await import('../../identity/users/users.public.js');
  assertOption('email', email, requiredEmail);
  assertOption('username', username, optionalUsername);
  const password = await newPasswordFrom(given);
  const user = await context.withApplication(async (app) => {
    const { DataSource } = await import('typeorm');
    const { PasswordHasher } = await import('../../identity/users/passwords/password-hasher.port.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    await app.get(RoleSeeder).seedMissingBuiltIns();
    const passwordHash = await app.get(PasswordHasher).hash(password);
    const users = app.get(UsersService);
    const emailVerifiedAt = app.get(Clock).now();
    const roles = ['admin', 'user'];
    return app.get(DataSource).transaction((manager) =>
      users.create(manager, {
        email,
        username,
        passwordHash,
        provider: 'local',
        activated: true,
        emailVerifiedAt,
        roles,
        by: 'administrator',
      }),
    );
  });
  print(json, { id: user.id, email: user.email, username: user.username }, `${user.email} is an administrator.`);
}
