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
      'compare the storage of files with the database, both ways: what is there without a row, and what is missing; changes nothing; exit code 1 for a fault',
    )
    .option('--read', 'read every file, and compare it with its SHA-256')
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
  const counted = `${objects} objects in the storage, ${rows} that it must have.`;
  if (faults.length === 0) return `${counted}\nNothing is missing, and nothing is there that has no row.`;
  const found = faults.map(({ fault, id, detail }) => [fault, id, detail]);
  return `${table(['fault', 'what', 'detail'], found)}\n\n${counted}`;
}
