import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AnyKey, IssuedKey, KeyPage, ListedServiceAccount } from './api-keys.dto.js';
import type { ServiceAccounts } from './service-accounts/service-accounts.service.js';
import type { KeyAdministration } from './administration/key-administration.service.js';
import {
  assertOption,
  type CommandContext,
  CommandError,
  namingOptions,
  print,
  table,
} from '../../platform/cli/cli.public.js';

interface ListOptions {
  readonly owner?: string;
  readonly kind?: string;
  readonly state?: string;
  readonly json?: boolean;
}

interface CreateOptions {
  readonly name: string;
  readonly scope?: readonly string[];
  readonly address?: readonly string[];
  readonly days?: number;
  readonly forever?: boolean;
  readonly json?: boolean;
}

interface AccountOptions {
  readonly role: readonly string[];
  readonly json?: boolean;
}

interface ReplaceOptions {
  readonly overlapHours: number;
  readonly json?: boolean;
}

/** @internal */
const MAX_NAME_LENGTH = 100;
/** @internal */
const MAX_DAYS = 3_650;
/** @internal */
const MAX_OVERLAP_HOURS = 720;

/** Defines `keys:list`, `keys:create`, `keys:replace`, `keys:end` for the API keys of all accounts. `keys:rotate` belongs to `APP_KEY`. */
export function addApiKeyCommands(program: Command, context: CommandContext): void {
  program
    .command('keys:list')
    .description('list the API keys of all accounts or of one account, without their secrets')
    .option('--owner <account>', 'an e-mail address, a username, the name of a service account, or an id')
    .addOption(new Option('--kind <kind>', 'person or service: the kind of owner').choices(['person', 'service']))
    .addOption(new Option('--state <state>', 'valid or invalid').choices(['active', 'expired']))
    .option('--json', 'print JSON')
    .action((options: ListOptions) => list(context, options));
  program
    .command('keys:create <account>')
    .description('create an API key for an account and print it once; its owner is notified by mail')
    .requiredOption('--name <name>', 'name of the key')
    .option('--scope <scopes...>', 'resources to which the key is limited (default: all permissions of its owner)')
    .option('--address <networks...>', 'networks and addresses from which the key can be used')
    .option('--days <days>', 'days until it expires (default: 90)', parseIntegerBetween(1, MAX_DAYS))
    .option('--forever', 'the key does not expire; for service accounts only')
    .option('--json', 'print JSON')
    .action((account: string, options: CreateOptions) => create(context, account, options));
  program
    .command('keys:replace <id>')
    .description('replace an API key; the old key stays valid for some hours')
    .option(
      '--overlap-hours <hours>',
      'hours for which the old key stays valid',
      parseIntegerBetween(0, MAX_OVERLAP_HOURS),
      24,
    )
    .option('--json', 'print JSON')
    .action((id: string, options: ReplaceOptions) => replace(context, id, options));
  program
    .command('keys:end <id>')
    .description('revoke an API key, on all instances within a second')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { readonly json?: boolean }) => end(context, id, json));
}

export function addServiceAccountCommands(program: Command, context: CommandContext): void {
  program
    .command('service-account:list')
    .description('list the service accounts')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: boolean }) => listAccounts(context, json));
  program
    .command('service-account:create <name>')
    .description('create a service account, which can use API keys only (keys:create)')
    .requiredOption('--role <names...>', 'its roles')
    .option('--json', 'print JSON')
    .action((name: string, options: AccountOptions) => createAccount(context, name, options));
  program
    .command('service-account:remove <id>')
    .description('delete a service account and its keys')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { readonly json?: boolean }) => removeAccount(context, id, json));
}

async function list(context: CommandContext, { owner, kind, state, json }: ListOptions): Promise<void> {
  const keys = await withKeys(context, async (administration) => {
    const id = owner === undefined ? undefined : await ownerOf(administration, owner);
    const found: AnyKey[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: KeyPage = await administration.list({ owner: id, kind, state, cursor });
      found.push(...page.items);
      cursor = page.next_cursor;
    }
    return found;
  });
  print(json, { keys }, keys.length === 0 ? 'No API keys found.' : report(keys));
}

async function create(context: CommandContext, account: string, options: CreateOptions): Promise<void> {
  const { name, scope, address: addresses, days, forever, json } = options;
  const { requiredText } = await import('../../platform/http/input/field.decorator.js');
  assertOption('name', name, requiredText(MAX_NAME_LENGTH));
  if (forever === true && days !== undefined) throw new CommandError('Use either --forever or --days.');
  const scopes = scope?.map((resource) => ({ resource }));
  const wish = { name, scopes, addresses, expires_in_days: forever === true ? null : days };
  const key = await withKeys(context, async (administration) =>
    administration.create(await ownerOf(administration, account), wish),
  );
  printKey(json, key);
}

async function replace(context: CommandContext, id: string, { overlapHours, json }: ReplaceOptions): Promise<void> {
  printKey(json, await withKeys(context, (administration) => administration.replace(id, overlapHours)));
}

async function end(context: CommandContext, id: string, json: boolean | undefined): Promise<void> {
  const { OPERATOR } = await import('../../platform/audit/audit.public.js');
  await withKeys(context, (administration) => administration.end(OPERATOR, id));
  print(json, { id, result: 'has ended' }, `The key ${id} was revoked.`);
}

async function withKeys<T>(context: CommandContext, work: (keys: KeyAdministration) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { KeyAdministration } = await import('./administration/key-administration.service.js');
    return namingOptions(() => work(app.get(KeyAdministration)), optionOf);
  });
}

function optionOf(field: string): string {
  const [name = '', place] = field.split('.');
  const options: Readonly<Record<string, string>> = {
    scopes: '--scope',
    addresses: '--address',
    expires_in_days: '--days',
  };
  return `${options[name] ?? `--${name}`}${place === undefined ? '' : ` number ${Number(place) + 1}`}`;
}

async function ownerOf(administration: KeyAdministration, text: string): Promise<string> {
  const id = await administration.findOwner(text);
  if (id === null) throw new CommandError(`The account ${JSON.stringify(text)} does not exist.`);
  return id;
}

function printKey(json: boolean | undefined, key: IssuedKey): void {
  const until = key.expires_at === null ? 'It does not expire.' : `It expires on ${key.expires_at.slice(0, 10)}.`;
  print(json, key, `${key.key}\n${until} It is not shown again.`);
}

function report(keys: readonly AnyKey[]): string {
  const day = (time: string | null, none: string): string => time?.slice(0, 10) ?? none;
  const rows = keys.map((key) => [
    key.id,
    key.prefix,
    key.owner.name,
    key.name,
    key.scopes === null ? 'all' : String(key.scopes.length),
    day(key.last_used_at, 'never'),
    day(key.expires_at, 'never'),
  ]);
  return table(['id', 'prefix', 'owner', 'name', 'scopes', 'last used', 'expires'], rows);
}

function parseIntegerBetween(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

async function listAccounts(context: CommandContext, json: boolean | undefined): Promise<void> {
  const accounts = await withAccounts(context, (service) => service.list());
  print(
    json,
    { service_accounts: accounts },
    accounts.length === 0 ? 'No service accounts found.' : accountReport(accounts),
  );
}

async function createAccount(
  context: CommandContext,
  name: string,
  { role: roles, json }: AccountOptions,
): Promise<void> {
  const { requiredText } = await import('../../platform/http/input/field.decorator.js');
  const fault = requiredText(MAX_NAME_LENGTH)(name);
  if (fault !== null) throw new CommandError(`The name ${fault.message}.`);
  const { OPERATOR } = await import('../../platform/audit/audit.public.js');
  const account = await withAccounts(context, (service) => service.create(OPERATOR, { name, roles }));
  print(json, account, `${account.name} is a service account: ${account.id}`);
}

async function removeAccount(context: CommandContext, id: string, json: boolean | undefined): Promise<void> {
  const { OPERATOR } = await import('../../platform/audit/audit.public.js');
  await withAccounts(context, (service) => service.remove(OPERATOR, id));
  print(json, { id, result: 'is removed' }, `The service account ${id} was deleted.`);
}

async function withAccounts<T>(context: CommandContext, work: (service: ServiceAccounts) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { ServiceAccounts } = await import('./service-accounts/service-accounts.service.js');
    return namingOptions(
      () => work(app.get(ServiceAccounts)),
      () => '--role',
    );
  });
}

function accountReport(accounts: readonly ListedServiceAccount[]): string {
  const rows = accounts.map(({ id, name, roles, activated, created_at }) => [
    id,
    name,
    roles.join(', '),
    activated ? 'yes' : 'no',
    created_at.slice(0, 10),
  ]);
  return table(['id', 'name', 'roles', 'active', 'made'], rows);
}
