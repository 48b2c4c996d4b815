import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError } from '../../kernel/errors/app-error.js';
import type { SchemaToolsService } from '../../data/schema/schema-tools.service.js';
import { type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

const ANSWER_MS = 30_000;

interface Options {
  readonly json?: boolean;
}

interface ApplyOptions extends Options {
  readonly allowDataLoss?: boolean;
  readonly allowRebuild?: boolean;
  readonly plan?: string;
}

export function addSchemaCommands(program: Command, context: CommandContext): void {
  const directory = 'directory of schema files; $DATA_DIR/schemas unless given';
  program
    .command('schema:check')
    .description('check schema files without a database; exit code 1 when they have faults')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action(reporting((dir, options: Options) => check(context, dir, options)));
  program
    .command('schema:plan')
    .description('show what schema files would change, and change nothing; exit code 1 when the data stands in the way')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action(reporting((dir, options: Options) => plan(context, dir, options)));
  program
    .command('schema:apply')
    .description('apply schema files, all or nothing')
    .argument('[dir]', directory)
    .option('--allow-data-loss', 'apply steps that lose data; what they drop is kept aside for a while')
    .option('--allow-rebuild', 'rebuild tables that have no columns left to give')
    .option('--plan <hash>', 'only if this is the plan, as schema:plan showed it')
    .option('--json', 'print JSON')
    .action(reporting((dir, options: ApplyOptions) => apply(context, dir, options)));
  program
    .command('schema:pull')
    .description('write the schemas of the service into schema files')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action((dir: string | undefined, options: Options) => pull(context, dir, options));
  program
    .command('schema:types')
    .description('print TypeScript types of the API over all schemas, for front ends')
    .option('--url <url>', 'of a service that is asked for its schemas, instead of the database here')
    .option('--token <token>', 'with --url: access token of an account that may schema.export')
    .option('--out <file>', 'write them into a file')
    .option('--json', 'print JSON')
    .action((options: TypesOptions) => types(context, options));
}

interface TypesOptions extends Options {
  readonly url?: string;
  readonly token?: string;
  readonly out?: string;
}

type Action<O extends Options> = (dir: string | undefined, options: O) => Promise<void>;

/**
 * Wraps an action so that with `--json` a refusal is also printed as JSON, in the form of the API. The text message stays on standard
 * error.
 */
function reporting<O extends Options>(action: Action<O>): Action<O> {
  return async (dir, options) => {
    if (dir !== undefined && !existsSync(dir)) throw new CommandError(`There is no directory ${dir}.`);
    try {
      await action(dir, options);
    } catch (error) {
      if (options.json === true) {
        const { SchemaFilesError } = await import('../../data/schema/files/schema-files.errors.js');
        if (error instanceof SchemaFilesError) print(true, { ...error.details, faults: error.faults }, '');
      }
      throw error;
    }
  };
}

async function check(context: CommandContext, dir: string | undefined, { json }: Options): Promise<void> {
  const { checkSchemaFiles } = await loadTools(context);
  const schemas = await checkSchemaFiles(await directoryOf(context, dir));
  print(json, { schemas }, schemas.length === 0 ? 'There are no schemas.' : `In order: ${schemas.join(', ')}.`);
}

async function plan(context: CommandContext, dir: string | undefined, { json }: Options): Promise<void> {
  const directory = await directoryOf(context, dir);
  const answer = await withTools(context, (tools) => tools.plan(directory));
  const rows = answer.steps.map(({ words, loses_data, rows: lost, problems }) => [
    loses_data ? 'loses data' : '',
    lost === undefined ? '' : String(lost),
    [words, ...problems.map(({ message }) => message)].join(' '),
  ]);
  const text =
    rows.length === 0 ? 'Nothing to change.' : `${table(['', 'rows', 'step'], rows)}\n\nPlan ${answer.hash}.`;
  const missed = answer.missed_indexes.map(
    ({ schema, columns, seen, mean_ms }) =>
      `${schema} has no index over ${columns.join(', ')}, which ${seen} lists would have used (${mean_ms} ms each): schema:advise ${schema}`,
  );
  print(json, answer, [text, ...missed].join('\n'));
  if (answer.blocked) process.exitCode = 1;
}

async function apply(
  context: CommandContext,
  dir: string | undefined,
  { json, allowDataLoss, allowRebuild, plan: expectedPlan }: ApplyOptions,
): Promise<void> {
  const conditions = { allowDataLoss, allowRebuild, expectedPlan };
  const directory = await directoryOf(context, dir);
  const applied = await context.withApplication(async (app) => {
    const { SchemaFilesService } = await import('../../data/schema/schema-files.service.js');
    return app.get(SchemaFilesService, { strict: false }).apply(directory, conditions);
  });
  const { snapshot, before, plan: done, changed, removed } = applied;
  const value = { version: snapshot.version, changed, removed, steps: done.steps.map(({ words }) => words) };
  const text = [...value.steps, `The schemas have version ${snapshot.version}.`].join('\n');
  print(json, value, snapshot === before ? 'Nothing to change.' : text);
}

async function pull(context: CommandContext, dir: string | undefined, { json }: Options): Promise<void> {
  const directory = await directoryOf(context, dir);
  const schemas = await withTools(context, (tools) => tools.pull(directory));
  print(json, { directory, schemas }, `${schemas.length} schemas are in ${directory}.`);
}

async function types(context: CommandContext, { url, token, out, json }: TypesOptions): Promise<void> {
  if (url === undefined && token !== undefined) throw new CommandError('--token is of use with --url alone.');
  const text =
    url === undefined ? await withTools(context, (tools) => tools.types()) : await typesOf(context, url, token);
  if (out === undefined) return print(json, { types: text }, text.trimEnd());
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new CommandError(`${out} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
  print(json, { file: out }, `Written to ${out}.`);
}

async function typesOf(context: CommandContext, url: string, token: string | undefined): Promise<string> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandError('--url must be an http or https address.');
  const { status, body } = await ask(new URL('api/schema/export', url.replace(/\/*$/, '/')), token);
  const { message, data } = (body ?? {}) as { readonly message?: string; readonly data?: unknown };
  if (status === 401) throw new CommandError(`${url} asks who you are (${message}): give --token.`);
  if (status !== 200) throw new CommandError(`${url} answers ${status}: ${message ?? 'is it a Lintel service?'}`);
  const { exportedTypes } = await loadTools(context);
  try {
    return exportedTypes(data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError(`The schemas of ${url} are of another version of Lintel: ${error.message}`);
  }
}

async function ask(url: URL, token: string | undefined): Promise<{ status: number; body: unknown }> {
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    const { code = 'no answer' } = ((error as Error).cause ?? {}) as { readonly code?: string };
    throw new CommandError(`${url.origin} cannot be reached: ${code}.`);
  }
}

/** Returns the given directory, or the default in the data directory. */
async function directoryOf(context: CommandContext, dir: string | undefined): Promise<string> {
  if (dir !== undefined) return resolve(dir);
  return join((await context.configuration()).config.dataDir, 'schemas');
}

/** System schemas are declared by the modules that own them, so the application must be loaded first. */
async function loadTools({ application }: CommandContext) {
  await application.load();
  return import('../../data/schema/schema-tools.service.js');
}

function withTools<T>(context: CommandContext, work: (tools: SchemaToolsService) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { SchemaToolsService } = await loadTools(context);
    return work(app.get(SchemaToolsService, { strict: false }));
  });
}
