import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AnyKey, IssuedKey, KeyPage } from '../api-keys.types.js';
import type { KeyAdministration } from './key-administration.service.js';
import {
  assertOption,
  type CommandContext,
  CommandError,
  namingOptions,
  print,
  table,
} from '../../../platform/cli/cli.public.js';

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

interface ReplaceOptions {
  readonly overlapHours: number;
  readonly json?: boolean;
}

/** @internal */
const LONGEST_NAME = 100;
/** @internal */
const MOST_DAYS = 3_650;
/** @internal */
const MOST_OVERLAP_HOURS = 720;

/** Defines `keys:list`, `keys:create`, `keys:replace`, `keys:end` for the API keys of all accounts. `keys:rotate` belongs to `APP_KEY`. */
export function addApiKeyCommands(program: Command, context: CommandContext): void {
  program
    .command('keys:list')
    .description('show the API keys of everybody, or of one account, without what opens them')
    .option('--owner <account>', 'an e-mail address, a username, the name of a service account, or an id')
    .addOption(new Option('--kind <kind>', 'of people, or of service accounts').choices(['person', 'service']))
    .addOption(new Option('--state <state>', 'good still, or not').choices(['active', 'expired']))
    .option('--json', 'print JSON')
    .action((options: ListOptions) => list(context, options));
  program
    .command('keys:create <account>')
    .description('make an API key for an account, and print it this once; its owner is told by mail')
    .requiredOption('--name <name>', 'what it is for')
    .option('--scope <scopes...>', 'resources that it is cut to; left out, it may what its owner may')
    .option('--address <networks...>', 'networks and addresses that it may come from')
    .option('--days <days>', 'for how long it is good; 90 when left out', wholeNumber(1, MOST_DAYS))
    .option('--forever', 'it does not expire; for service accounts alone')
    .option('--json', 'print JSON')
    .action((account: string, options: CreateOptions) => create(context, account, options));
  program
    .command('keys:replace <id>')
    .description('make an API key that takes the place of another, which goes on for some hours')
    .option('--overlap-hours <hours>', 'for how long the old one goes on', wholeNumber(0, MOST_OVERLAP_HOURS), 24)
    .option('--json', 'print JSON')
    .action((id: string, options: ReplaceOptions) => replace(context, id, options));
  program
    .command('keys:end <id>')
    .description('end an API key, on every instance within a second')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { readonly json?: boolean }) => end(context, id, json));
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
  print(json, { keys }, keys.length === 0 ? 'There are no keys.' : report(keys));
}

async function create(context: CommandContext, account: string, options: CreateOptions): Promise<void> {
  const { name, scope, address: addresses, days, forever, json } = options;
  const { requiredText } = await import('../../../platform/http/http.public.js');
  assertOption('name', name, requiredText(LONGEST_NAME));
  if (forever === true && days !== undefined) throw new CommandError('--forever and --days exclude each other.');
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
  const { OPERATOR } = await import('../../../platform/audit/audit.public.js');
  await withKeys(context, (administration) => administration.end(OPERATOR, id));
  print(json, { id, result: 'has ended' }, `The key ${id} has ended.`);
}

async function withKeys<T>(context: CommandContext, work: (keys: KeyAdministration) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { KeyAdministration } = await import('./key-administration.service.js');
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
  if (id === null) throw new CommandError(`There is no account ${JSON.stringify(text)}.`);
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
  return table(['id', 'begins with', 'owner', 'name', 'scopes', 'last used', 'expires'], rows);
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
