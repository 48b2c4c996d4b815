import type { Command } from 'commander';
import type { ListedServiceAccount } from '../api-keys.types.js';
import type { ServiceAccounts } from './service-accounts.service.js';
import { type CommandContext, CommandError, namingOptions, print, table } from '../../../platform/cli/cli.public.js';

interface CreateOptions {
  readonly role: readonly string[];
  readonly json?: boolean;
}

/** @internal */
const LONGEST_NAME = 100;

export function addServiceAccountCommands(program: Command, context: CommandContext): void {
  program
    .command('service-account:list')
    .description('show the accounts of programs')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: boolean }) => list(context, json));
  program
    .command('service-account:create <name>')
    .description('make an account of a program, which comes in by API keys alone (keys:create)')
    .requiredOption('--role <names...>', 'its roles')
    .option('--json', 'print JSON')
    .action((name: string, options: CreateOptions) => create(context, name, options));
  program
    .command('service-account:remove <id>')
    .description('remove an account of a program, with its keys')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { readonly json?: boolean }) => remove(context, id, json));
}

async function list(context: CommandContext, json: boolean | undefined): Promise<void> {
  const accounts = await withAccounts(context, (service) => service.list());
  print(
    json,
    { service_accounts: accounts },
    accounts.length === 0 ? 'There are no service accounts.' : report(accounts),
  );
}

async function create(context: CommandContext, name: string, { role: roles, json }: CreateOptions): Promise<void> {
  const { requiredText } = await import('../../../platform/http/http.public.js');
  const fault = requiredText(LONGEST_NAME)(name);
  if (fault !== null) throw new CommandError(`The name ${fault.message}.`);
  const { OPERATOR } = await import('../../../platform/audit/audit.public.js');
  const account = await withAccounts(context, (service) => service.create(OPERATOR, { name, roles }));
  print(json, account, `${account.name} is a service account: ${account.id}`);
}

async function remove(context: CommandContext, id: string, json: boolean | undefined): Promise<void> {
  const { OPERATOR } = await import('../../../platform/audit/audit.public.js');
  await withAccounts(context, (service) => service.remove(OPERATOR, id));
  print(json, { id, result: 'is removed' }, `The service account ${id} is removed.`);
}

async function withAccounts<T>(context: CommandContext, work: (service: ServiceAccounts) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { ServiceAccounts } = await import('./service-accounts.service.js');
    return namingOptions(
      () => work(app.get(ServiceAccounts)),
      () => '--role',
    );
  });
}

function report(accounts: readonly ListedServiceAccount[]): string {
  const rows = accounts.map(({ id, name, roles, activated, created_at }) => [
    id,
    name,
    roles.join(', '),
    activated ? 'yes' : 'no',
    created_at.slice(0, 10),
  ]);
  return table(['id', 'name', 'roles', 'active', 'made'], rows);
}
