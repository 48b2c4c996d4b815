import type { Command } from 'commander';
import type { FileReport } from './file-check.service.js';
import { type CommandContext, print, table } from '../../platform/cli/cli.public.js';

interface CheckOptions {
  readonly read?: boolean;
  readonly json?: boolean;
}

export function addFilesCommands(program: Command, context: CommandContext): void {
  program
    .command('files:check')
    .description(
      'compare the file storage with the database: list objects without a row and rows without an object; changes nothing; exit code 1 if there are differences',
    )
    .option('--read', 'read every file and compare it with its SHA-256')
    .option('--json', 'print JSON')
    .action((options: CheckOptions) => check(context, options));
}

async function check(context: CommandContext, { read, json }: CheckOptions): Promise<void> {
  const report = await context.withApplication(async (app) => {
    const { FileCheck } = await import('./file-check.service.js');
    return app.get(FileCheck).run({ reads: read === true });
  });
  print(json, report, text(report));
  if (report.faults.length > 0) process.exitCode = 1;
}

function text({ objects, rows, faults }: FileReport): string {
  const counted = `${objects} objects in the storage, ${rows} expected.`;
  if (faults.length === 0) return `${counted}\nNo objects are missing, and none is without a row.`;
  const found = faults.map(({ fault, id, detail }) => [fault, id, detail]);
  return `${table(['problem', 'object', 'detail'], found)}\n\n${counted}`;
}
