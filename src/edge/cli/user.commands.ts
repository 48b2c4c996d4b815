import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { AccountService } from '../../identity/auth/account.service.js';
import { AT_COMMAND_LINE } from '../../kernel/principal.types.js';
import { newPasswordFrom } from './account-input.js';
import { type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';

interface UserOptions {
  readonly password?: string;
  readonly json?: boolean;
}

export function addUserCommands(program: Command, context: CommandContext): void {
  program
    .command('user:activate <login>')
    .description('let an account sign in')
    .option('--json', 'print JSON')
    .action((login: string, { json }: UserOptions) =>
      change(context, login, json, async (accounts, id) =>
        (await accounts.activate(id)) ? 'is active now' : 'was active already',
      ),
    );
  program
    .command('user:deactivate <login>')
    .description('shut an account out and end its sessions')
    .option('--json', 'print JSON')
    .action((login: string, { json }: UserOptions) =>
      change(context, login, json, async (accounts, id) =>
        (await accounts.deactivate(id)) ? 'is inactive now' : 'was inactive already',
      ),
    );
  program
    .command('user:reset-password <login>')
    .description('set a new password and end all sessions of the account')
    .option('--password <password>', 'the new password; asked for (or read from standard input) when left out')
    .option('--json', 'print JSON')
    .action(async (login: string, { password: given, json }: UserOptions) => {
      const password = await newPasswordFrom(given);
      await change(context, login, json, async (accounts, id) => {
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
    .description('make an account for somebody, who is mailed a link to choose its password; once more: another link')
    .requiredOption('--email <address>', 'its e-mail address')
    .option('--username <name>', 'its username')
    .option('--role <names...>', 'its roles; the role user when left out')
    .option('--json', 'print JSON')
    .action((options: InviteOptions) => invite(context, options));
}

/** Writes the account as a record, so that all hooks and checks of account records apply. */
async function invite(context: CommandContext, { email, username, role: names, json }: InviteOptions): Promise<void> {
  const user = await context.withApplication(async (app) => {
    const { Content } = await import('../../data/content/content.service.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    const users = app.get(Content).as(AT_COMMAND_LINE).schema('user');
    const known = await app.get(UsersService).findByEmail(email);
    if (known !== null) return users.update(known.id, { invite: true });
    const roles = names === undefined ? undefined : await rolesNamed(app, names);
    return users.create({ email, invite: true, ...(username && { username }), ...(roles && { roles }) });
  });
  print(json, { id: user['id'], email }, `${email} is invited.`);
}

async function rolesNamed(app: INestApplicationContext, names: readonly string[]): Promise<readonly { id: unknown }[]> {
  const { Content } = await import('../../data/content/content.service.js');
  const { items } = await app
    .get(Content)
    .as(AT_COMMAND_LINE)
    .schema('role')
    .list({ filter: { name: { $in: names } }, limit: 100 });
  const missing = names.find((name) => !items.some((role) => role['name'] === name));
  if (missing !== undefined) throw new CommandError(`There is no role ${JSON.stringify(missing)}.`);
  return items.map(({ id }) => ({ id }));
}

async function change(
  context: CommandContext,
  login: string,
  json: boolean | undefined,
  work: (accounts: AccountService, id: string) => Promise<string>,
): Promise<void> {
  const result = await context.withApplication(async (app) => {
    const { AccountService } = await import('../../identity/auth/account.service.js');
    const { UsersService } = await import('../../identity/users/users.service.js');
    const user = await app.get(UsersService).findByLogin(login);
    if (user === null) throw new CommandError(`There is no account ${JSON.stringify(login)}.`);
    return { id: user.id, result: await work(app.get(AccountService), user.id) };
  });
  print(json, result, `${login} ${result.result}.`);
}
