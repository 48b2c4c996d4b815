import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline as piped, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { InvalidArgumentError, type Command } from 'commander';
import type { RowFault } from '../../data/content/content.public.js';
import type { ImportResult } from '../../data/content/import/content-import.service.js';
import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import { type CommandContext, CommandError, print, table, writeCompletely } from '../../platform/cli/cli.public.js';

interface ExportOptions {
  readonly format?: string;
  readonly filter?: string;
  readonly select?: string;
  readonly sort?: string;
  /** Commander's form of `--no-escape`. */
  readonly escape: boolean;
}

interface ImportOptions {
  readonly format?: string;
  readonly delimiter?: string;
  readonly dryRun?: boolean;
  readonly keep?: boolean;
  readonly mode?: string;
  readonly key?: string;
  /** Commander's form of `--no-escape`. */
  readonly escape: boolean;
  readonly json?: boolean;
}

const STREAM = '-';
const FORMATS = ['csv', 'ndjson', 'json'];
/** Number of errors in the text output. `--json` prints all reported ones. @internal */
const MAX_SHOWN = 50;

export function addRecordsCommands(program: Command, context: CommandContext): void {
  const format = 'csv, ndjson or json (default: from the file extension)';
  program
    .command('records:export')
    .description('export the records of a schema in one snapshot; the service can keep running')
    .argument('<schema>', 'name or namespace of the schema')
    .argument('[file]', 'output file, compressed if it ends in .gz (default: standard output)', STREAM)
    .option('--format <format>', format, oneOf(FORMATS))
    .option('--filter <json>', 'filter, in the format of the API')
    .option('--select <fields>', 'fields, in the format of the API')
    .option('--sort <keys>', 'sort keys, in the format of the API')
    .option('--no-escape', 'do not escape CSV text that a spreadsheet would evaluate as a formula')
    .action((schema: string, file: string, options: ExportOptions) => exportTo(context, schema, file, options));
  program
    .command('records:import')
    .description(
      'import the records of a file in one transaction, with all checks, setters and hooks, but without permission checks; the service can keep running; exit code 1 if the file has errors',
    )
    .argument('<schema>', 'name or namespace of the schema')
    .argument('<file>', 'input file, plain or compressed; - for standard input')
    .option('--format <format>', format, oneOf(FORMATS))
    .option('--delimiter <name>', 'delimiter of CSV cells', oneOf(['comma', 'semicolon', 'tab']))
    .option('--mode <mode>', 'create, update or upsert (default: create)', oneOf(['create', 'update', 'upsert']))
    .option('--key <field>', 'field that identifies existing records (default: the primary key)')
    .option('--dry-run', 'roll back all changes at the end')
    .option('--keep', 'use keys and timestamps of the file instead of generated values')
    .option('--no-escape', 'keep the apostrophes that a CSV export adds before formulas')
    .option('--json', 'print JSON')
    .action((schema: string, file: string, options: ImportOptions) => importFrom(context, schema, file, options));
}

function oneOf(names: readonly string[]): (text: string) => string {
  return (text) => {
    if (names.includes(text)) return text;
    throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
  };
}

function formatOf(file: string): string {
  const [, ending = ''] = /\.([a-z]+)(?:\.gz)?$/i.exec(file) ?? [];
  const named = ending.toLowerCase() === 'jsonl' ? 'ndjson' : ending.toLowerCase();
  return FORMATS.includes(named) ? named : 'csv';
}

async function exportTo(context: CommandContext, schema: string, file: string, options: ExportOptions): Promise<void> {
  const { format = formatOf(file), escape, ...parameters } = options;
  const query = { ...parameters, format, formulas: escape ? 'escape' : 'keep' };
  await context.withApplication(async (app) => {
    const { ContentExport } = await import('../../data/content/export/content-export.service.js');
    const { AT_COMMAND_LINE } = await import('../../kernel/principal.types.js');
    const { parts, end } = await asCommandErrors(() => app.get(ContentExport).start(AT_COMMAND_LINE, schema, query));
    try {
      if (file === STREAM) await pipeline(Readable.from(parts), process.stdout, { end: false });
      else
        await writeCompletely(file, (to) =>
          pipeline([Readable.from(parts), ...(isPacked(file) ? [createGzip()] : []), to]),
        );
    } finally {
      await end();
    }
  });
}

async function importFrom(
  context: CommandContext,
  schema: string,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const { format = formatOf(file), delimiter, mode, key, dryRun = false, keep = false, escape, json } = options;
  if (file !== STREAM) await assertReadable(file);
  const query = {
    format,
    dry_run: String(dryRun),
    generated: keep ? 'keep' : 'new',
    formulas: escape ? 'escape' : 'keep',
    ...definedOptions({ delimiter, mode, key }),
  };
  const outcome = await context.withApplication(async (app) => {
    const { ContentImport } = await import('../../data/content/import/content-import.service.js');
    const { AT_COMMAND_LINE } = await import('../../kernel/principal.types.js');
    const request = { principal: AT_COMMAND_LINE, schema, query, mediaType: '' };
    const imports = app.get(ContentImport);
    return faultsOr(() =>
      file === STREAM
        ? imports.receive(request, process.stdin)
        : imports.run(request, { open: () => openInput(file) }, Number.MAX_SAFE_INTEGER),
    );
  });
  print(json, outcome, 'errors' in outcome ? faultsText(outcome) : doneText(outcome));
  if ('errors' in outcome) process.exitCode = 1;
}

function definedOptions(options: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function assertReadable(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r');
    const isFile = (await handle.stat()).isFile();
    await handle.close();
    if (!isFile) throw new CommandError(`${file} is not a file.`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function openInput(file: string): AsyncIterable<Uint8Array> {
  const bytes = createReadStream(file);
  return isPacked(file) ? piped(bytes, createGunzip(), () => undefined) : bytes;
}

function isPacked(file: string): boolean {
  return file.endsWith('.gz');
}

interface FileFaults {
  readonly errors: readonly RowFault[];
  readonly total: number;
  readonly rows: number;
}

async function faultsOr(work: () => Promise<ImportResult>): Promise<ImportResult | FileFaults> {
  return asCommandErrors(async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.code === 'import_invalid') return error.details as unknown as FileFaults;
      throw error;
    }
  });
}

/** Converts an API error to a CommandError with a one-line message. */
async function asCommandErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { errors = [] } = error.details as { readonly errors?: readonly FieldFault[] };
    const messages = errors.map(({ field, message }) => `${field} ${message}`);
    throw new CommandError([error.message, ...messages].join(' '));
  }
}

function doneText({ rows, updated, dry_run: isDry, ignored }: ImportResult): string {
  const ignoredNote =
    ignored.length === 0 ? '' : ` Ignored, because the service sets these fields: ${ignored.join(', ')}.`;
  const [records, were] = rows === 1 ? ['record', 'was'] : ['records', 'were'];
  const done = updated === 0 ? 'created' : `written, including ${updated} updates`;
  return `${rows} ${records} ${isDry ? `could be ${done}; nothing was written` : `${were} ${done}`}.${ignoredNote}`;
}

function faultsText({ errors, total, rows }: FileFaults): string {
  const listed = errors.slice(0, MAX_SHOWN).map(({ row, field, code, message }) => [String(row), field, code, message]);
  const more = total > listed.length ? ` The first ${listed.length} are shown.` : '';
  return `${table(['row', 'field', 'code', 'message'], listed)}\n\n${total} errors in ${rows} records. No record was written.${more}`;
}
