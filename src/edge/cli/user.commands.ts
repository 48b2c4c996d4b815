import type { Command } from 'commander';
import type { AccountService } from '../../identity/auth/account.service.js';
import { newPasswordFrom } from './account-input.js';
import type { CommandContext } from './command-context.js';
import { CommandError } from './command-error.js';
import { print } from './output.js';

interface UserOptions {
  readonly password?: string;
  readonly json?: boolean;
}

/** `user:activate`, `user:deactivate`, `user:reset-password` */
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
