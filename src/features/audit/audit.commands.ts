import type { Command } from 'commander';
import type { AuditReport } from '../../platform/audit/audit-verification.service.js';
import { type CommandContext, CommandError, print, table } from '../../platform/cli/cli.public.js';

interface VerifyOptions {
  readonly anchor?: string;
  readonly json?: boolean;
}

const ANCHOR = /^[1-9]\d*:[0-9a-f]{64}$/;

export function addAuditCommands(program: Command, context: CommandContext): void {
  program
    .command('audit:verify')
    .description(
      'compare the audit log with its seals and list changed, removed and added entries; exit code 1 if there are any',
    )
    .option('--anchor <seal>', 'latest seal of an earlier verification, <number>:<hash>, to detect removed newer seals')
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => verify(context, options));
}

async function verify(context: CommandContext, { anchor, json }: VerifyOptions): Promise<void> {
  if (anchor !== undefined && !ANCHOR.test(anchor))
    throw new CommandError('--anchor requires <number>:<hash>, as printed by audit:verify.');
  const report = await context.withApplication(async (app) => {
    const { AuditVerification } = await import('../../platform/audit/audit-verification.service.js');
    return app.get(AuditVerification).verify(anchor);
  });
  print(json, report, text(report));
  if (report.faults.length > 0) process.exitCode = 1;
}

function text({ events, seals, unsealed, anchor, faults }: AuditReport): string {
  const counted = `${events} events, ${seals} seals, ${unsealed} events not sealed yet.`;
  const message = `Latest seal: ${anchor}\nStore it outside this database, and pass it to the next verification as --anchor.`;
  if (faults.length === 0) return `${counted}\nNothing was changed, removed or added.\n${message}`;
  const rows = faults.map(({ fault, id, detail }) => [fault, id, detail]);
  return `${table(['problem', 'object', 'detail'], rows)}\n\n${counted}\n${message}`;
}
