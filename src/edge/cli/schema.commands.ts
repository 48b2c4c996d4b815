import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError } from '../../kernel/errors/app-error.js';
import type { SchemaFilesService } from '../../data/schema/schema-files.service.js';
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
  const directory = 'directory of schema files (default: $DATA_DIR/schemas)';
  program
    .command('schema:check')
    .description('check schema files without a database; exit code 1 if they are not valid')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action(reporting((dir, options: Options) => check(context, dir, options)));
  program
    .command('schema:plan')
    .description('show the changes of schema files without applying them; exit code 1 if existing data prevents them')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action(reporting((dir, options: Options) => plan(context, dir, options)));
  program
    .command('schema:apply')
    .description('apply schema files in one transaction')
    .argument('[dir]', directory)
    .option('--allow-data-loss', 'apply steps that lose data; dropped data is kept aside for some days')
    .option('--allow-rebuild', 'rebuild tables that have reached the column limit')
    .option('--plan <hash>', 'apply only this plan, identified by the hash of schema:plan')
    .option('--json', 'print JSON')
    .action(reporting((dir, options: ApplyOptions) => apply(context, dir, options)));
  program
    .command('schema:pull')
    .description('write the schemas of the service to schema files')
    .argument('[dir]', directory)
    .option('--json', 'print JSON')
    .action((dir: string | undefined, options: Options) => pull(context, dir, options));
  program
    .command('schema:types')
    .description('print TypeScript types of the API for all schemas')
    .option('--url <url>', 'URL of a service whose schemas are used instead of the local database')
    .option('--token <token>', 'with --url: access token of an account with the permission schema.export')
    .option('--out <file>', 'output file')
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
    if (dir !== undefined && !existsSync(dir)) throw new CommandError(`The directory ${dir} does not exist.`);
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
  const { checkSchemaFiles } = await loadFiles(context);
  const schemas = await checkSchemaFiles(await directoryOf(context, dir));
  print(json, { schemas }, schemas.length === 0 ? 'No schemas found.' : `Valid: ${schemas.join(', ')}.`);
}

async function plan(context: CommandContext, dir: string | undefined, { json }: Options): Promise<void> {
  const directory = await directoryOf(context, dir);
  const answer = await withFiles(context, (files) => files.plan(directory));
  const rows = answer.steps.map(({ words, loses_data, rows: lost, problems }) => [
    loses_data ? 'loses data' : '',
    lost === undefined ? '' : String(lost),
    [words, ...problems.map(({ message }) => message)].join(' '),
  ]);
  const text =
    rows.length === 0 ? 'Nothing to change.' : `${table(['', 'rows', 'step'], rows)}\n\nPlan ${answer.hash}.`;
  const missed = answer.missed_indexes.map(
    ({ schema, columns, seen, mean_ms }) =>
      `${schema} has no index on ${columns.join(', ')}, which ${seen} list requests would have used (${mean_ms} ms each). Run schema:advise ${schema}`,
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
  const applied = await withFiles(context, (files) => files.apply(directory, conditions));
  const { snapshot, before, plan: done, changed, removed } = applied;
  const value = { version: snapshot.version, changed, removed, steps: done.steps.map(({ words }) => words) };
  const text = [...value.steps, `The schema version is ${snapshot.version}.`].join('\n');
  print(json, value, snapshot === before ? 'Nothing to change.' : text);
}

async function pull(context: CommandContext, dir: string | undefined, { json }: Options): Promise<void> {
  const directory = await directoryOf(context, dir);
  const schemas = await withFiles(context, (files) => files.pull(directory));
  print(json, { directory, schemas }, `${schemas.length} schemas were written to ${directory}.`);
}

async function types(context: CommandContext, { url, token, out, json }: TypesOptions): Promise<void> {
  if (url === undefined && token !== undefined) throw new CommandError('--token requires --url.');
  const text = url === undefined ? await ownTypes(context) : await typesOf(context, url, token);
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
  const { status, body } = await send(new URL('api/schema/export', url.replace(/\/*$/, '/')), token);
  const { message, data } = (body ?? {}) as { readonly message?: string; readonly data?: unknown };
  if (status === 401)
    throw new CommandError(`${url} requires authentication. Use --token. The server returned: ${message}`);
  if (status !== 200) throw new CommandError(`${url} returned ${status}: ${message ?? 'is it a Lintel service?'}`);
  const { exportedTypes } = await loadReading(context);
  try {
    return exportedTypes(data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError(`The schemas of ${url} belong to another version of Lintel: ${error.message}`);
  }
}

async function send(url: URL, token: string | undefined): Promise<{ status: number; body: unknown }> {
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    const { code = 'no response' } = ((error as Error).cause ?? {}) as { readonly code?: string };
    throw new CommandError(`${url.origin} cannot be reached: ${code}.`);
  }
}

/** Returns the given directory, or the default in the data directory. */
async function directoryOf(context: CommandContext, dir: string | undefined): Promise<string> {
  if (dir !== undefined) return resolve(dir);
  return join((await context.configuration()).config.dataDir, 'schemas');
}

/** System schemas are declared by the modules that own them, so the application must be loaded first. */
async function loadFiles({ application }: CommandContext) {
  await application.load();
  return import('../../data/schema/schema-files.service.js');
}

async function loadReading({ application }: CommandContext) {
  await application.load();
  return import('../../data/schema/schema-reading.service.js');
}

function ownTypes(context: CommandContext): Promise<string> {
  return context.withApplication(async (app) => {
    const { SchemaReadingService } = await loadReading(context);
    return app.get(SchemaReadingService, { strict: false }).types();
  });
}

function withFiles<T>(context: CommandContext, work: (files: SchemaFilesService) => Promise<T>): Promise<T> {
  return context.withApplication(async (app) => {
    const { SchemaFilesService } = await loadFiles(context);
    return work(app.get(SchemaFilesService, { strict: false }));
  });
}
