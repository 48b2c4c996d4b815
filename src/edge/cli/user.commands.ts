import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { AccountService } from '../../identity/auth/account.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { AT_COMMAND_LINE } from '../../kernel/principal.types.js';
import { assertOption, type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';

interface CreateOptions {
  readonly email: string;
  readonly username?: string;
  readonly password?: string;
  readonly json?: boolean;
}

export function addAdminCommands(program: Command, context: CommandContext): void {
  program
    .command('admin:create')
    .description('create an active account with the role admin')
    .requiredOption('--email <address>', 'its e-mail address')
    .option('--username <name>', 'its username')
    .option('--password <password>', 'its password; without it, the command prompts for it or reads standard input')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) => createAdmin(context, options));
}

async function createAdmin(
  context: CommandContext,
  { email, username, password: passwordOption, json }: CreateOptions,
): Promise<void> {
  const { optionalUsername, requiredEmail, RoleSeeder } = await import('../../identity/users/users.public.js');
  assertOption('email', email, requiredEmail);
  assertOption('username', username, optionalUsername);
  const password = await newPasswordFrom(passwordOption);
  const user = await context.withApplication(async (app) => {
    const { DataSource } = await import('typeorm');
    const { PasswordHasher } = await import('../../identity/users/passwords/password-hasher.port.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    await app.get(RoleSeeder).seedMissingBuiltIns();
    const passwordHash = await app.get(PasswordHasher).hash(password);
    const users = app.get(UsersService);
    const account = { email, username, passwordHash, emailVerifiedAt: app.get(Clock).now(), roles: ['admin', 'user'] };
    return app
      .get(DataSource)
      .transaction((manager) =>
        users.create(manager, { ...account, provider: 'local', activated: true, by: 'administrator' }),
      );
  });
  print(json, { id: user.id, email: user.email, username: user.username }, `${user.email} is an administrator.`);
}

interface UserOptions {
  readonly password?: string;
  readonly json?: boolean;
}

export function addUserCommands(program: Command, context: CommandContext): void {
  program
    .command('user:activate <login>')
    .description('activate an account')
    .option('--json', 'print JSON')
    .action((login: string, { json }: UserOptions) =>
      changeAccount(context, login, json, async (accounts, id) =>
        (await accounts.activate(id)) ? 'is now active' : 'was already active',
      ),
    );
  program
    .command('user:deactivate <login>')
    .description('deactivate an account and revoke its sessions')
    .option('--json', 'print JSON')
    .action((login: string, { json }: UserOptions) =>
      changeAccount(context, login, json, async (accounts, id) =>
        (await accounts.deactivate(id)) ? 'is now inactive' : 'was already inactive',
      ),
    );
  program
    .command('user:reset-password <login>')
    .description('set a new password and revoke all sessions of the account')
    .option('--password <password>', 'the new password; without it, the command prompts for it or reads standard input')
    .option('--json', 'print JSON')
    .action(async (login: string, { password: passwordOption, json }: UserOptions) => {
      const password = await newPasswordFrom(passwordOption);
      await changeAccount(context, login, json, async (accounts, id) => {
        await accounts.setPassword(id, password);
        return 'has a new password';
      });
    });
  addInvite(program, context);
}

interface InviteOptions {
  readonly email: string;
  readonly username?: string;
  readonly role?: readonly string[];
  readonly json?: boolean;
}

function addInvite(program: Command, context: CommandContext): void {
  program
    .command('user:invite')
    .description(
      'create an account and send the user a mail with a link to set the password; repeat to send another link',
    )
    .requiredOption('--email <address>', 'its e-mail address')
    .option('--username <name>', 'its username')
    .option('--role <names...>', 'its roles (default: user)')
    .option('--json', 'print JSON')
    .action((options: InviteOptions) => invite(context, options));
}

/** Writes the account as a record, so that all hooks and checks of account records apply. */
async function invite(context: CommandContext, { email, username, role: names, json }: InviteOptions): Promise<void> {
  const user = await context.withApplication(async (app) => {
    const { Content } = await import('../../data/content/content.service.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    const users = app.get(Content).as(AT_COMMAND_LINE).schema('user');
    const existing = await app.get(UsersService).findByEmail(email);
    if (existing !== null) return users.update(existing.id, { invite: true });
    const roles = names === undefined ? undefined : await findRoles(app, names);
    return users.create({ email, invite: true, ...(username && { username }), ...(roles && { roles }) });
  });
  print(json, { id: user['id'], email }, `${email} was invited.`);
}

async function findRoles(app: INestApplicationContext, names: readonly string[]): Promise<readonly { id: unknown }[]> {
  const { Content } = await import('../../data/content/content.service.js');
  const { items } = await app
    .get(Content)
    .as(AT_COMMAND_LINE)
    .schema('role')
    .list({ filter: { name: { $in: names } }, limit: 100 });
  const missing = names.find((name) => !items.some((role) => role['name'] === name));
  if (missing !== undefined) throw new CommandError(`The role ${JSON.stringify(missing)} does not exist.`);
  return items.map(({ id }) => ({ id }));
}

async function changeAccount(
  context: CommandContext,
  login: string,
  json: boolean | undefined,
  work: (accounts: AccountService, id: string) => Promise<string>,
): Promise<void> {
  const outcome = await context.withApplication(async (app) => {
    const { AccountService } = await import('../../identity/auth/account.service.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    const user = await app.get(UsersService).findByLogin(login);
    if (user === null) throw new CommandError(`The account ${JSON.stringify(login)} does not exist.`);
    return { id: user.id, result: await work(app.get(AccountService), user.id) };
  });
  print(json, outcome, `${login} ${outcome.result}.`);
}

/** Returns the new password of an account: the option, or the input from the terminal or standard input. */
async function newPasswordFrom(option: string | undefined): Promise<string> {
  const password = option ?? (await readPassword('Password: '));
  const { newPassword } = await import('../../identity/users/users.public.js');
  const fault = newPassword(password);
  if (fault !== null) throw new CommandError(`The password ${fault.message}.`);
  return password;
}

/** Prompts for a password without echo. If standard input is not a terminal, reads its first line. */
async function readPassword(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  try {
    for await (const line of lines) {
      if (stdin.isTTY) stderr.write('\n');
      return line;
    }
    throw new CommandError('No password was given.');
  } finally {
    lines.close();
    stdin.pause();
  }
}
