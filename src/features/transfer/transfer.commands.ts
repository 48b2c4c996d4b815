import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ExportCounts, ExportTarget } from './data-export.service.js';
import { type CommandContext, CommandError, print, writeCompletely } from '../../platform/cli/cli.public.js';

interface JsonOption {
  readonly json?: boolean;
}

interface ImportOptions extends JsonOption {
  readonly replace?: boolean;
  /** Commander's form of `--no-keys`. */
  readonly keys: boolean;
  readonly otherKey?: boolean;
}

const STREAM = '-';

export function addExportCommand(program: Command, context: CommandContext): void {
  program
    .command('export')
    .description(
      'export all data (schemas, records, accounts with password hashes, roles, API keys) as one snapshot for `import`; the service can keep running',
    )
    .argument('<file>', 'output file, compressed if it ends in .gz; - for standard output')
    .option('--json', 'print JSON')
    .action((file: string, options: JsonOption) => exportTo(context, file, options));
}

export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('import an export into an empty database in one transaction; the service must be stopped')
    .argument('<file>', 'export file, plain or compressed; - for standard input')
    .option('--replace', 'delete all data of the database first')
    .option('--no-keys', 'do not import API keys, for example if keys were revoked since the export')
    .option(
      '--other-key',
      'import although APP_KEY differs; secrets encrypted with the key of the source cannot be read',
    )
    .option('--json', 'print JSON')
    .action((file: string, options: ImportOptions) => importFrom(context, file, options));
}

async function exportTo(context: CommandContext, file: string, { json }: JsonOption): Promise<void> {
  if (file === STREAM) {
    await runExport(context, { to: process.stdout, leavesOpen: true });
    return;
  }
  const compressed = file.endsWith('.gz');
  const counts = await writeCompletely(file, (to) => runExport(context, { to, compressed }));
  print(json, { file, ...counts }, `${file}: ${counts.rows} rows of ${counts.tables} tables.`);
}

function runExport(context: CommandContext, target: ExportTarget): Promise<ExportCounts> {
  return context.withApplication(async (app) => {
    const { DataExport } = await import('./data-export.service.js');
    return app.get(DataExport).write(target);
  });
}

async function importFrom(context: CommandContext, file: string, options: ImportOptions): Promise<void> {
  const { json, replace = false, keys, otherKey = false } = options;
  const isRepeatable = file !== STREAM;
  if (isRepeatable) await assertReadable(file);
  const { from, tables, rows, left } = await context.withApplication(async (app) => {
    const { DataImport } = await import('./data-import.service.js');
    const source = () => (isRepeatable ? createReadStream(file) : process.stdin) as AsyncIterable<Buffer>;
    return app.get(DataImport).read({ open: source, isRepeatable, replace, withoutKeys: !keys, otherKey });
  });
  const away = left === 0 ? '' : ` ${left} API keys were not imported.`;
  print(
    json,
    { exported_at: from.exported_at, lintel: from.lintel, tables, rows, left },
    `${rows} rows of ${tables} tables, exported ${from.exported_at} by Lintel ${from.lintel}.${away}`,
  );
}

async function assertReadable(file: string): Promise<void> {
  try {
    await (await open(file, 'r')).close();
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
