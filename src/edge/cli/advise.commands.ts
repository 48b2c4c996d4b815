import { type Command, InvalidArgumentError } from 'commander';
import type { IndexAdvice } from '../../data/schema/advise/index-advisor.service.js';
import { type CommandContext, print, table } from '../../platform/cli/cli.public.js';

const SAMPLE = 100_000;

interface AdviseOptions {
  readonly sample: number;
  readonly json?: boolean;
}

export function addAdviseCommand(program: Command, context: CommandContext): void {
  program
    .command('schema:advise')
    .description(
      'measure the indexes that list requests of the last 30 days would have used, on temporary sample tables; changes nothing',
    )
    .argument('[schema...]', 'names of schemas (default: all)')
    .option('--sample <records>', 'number of records in a sample', records, SAMPLE)
    .option('--json', 'print JSON')
    .action((schemas: string[], options: AdviseOptions) => advise(context, schemas, options));
}

function records(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1_000 || value > 10_000_000)
    throw new InvalidArgumentError('It must be a number from 1000 to 10000000.');
  return value;
}

async function advise(context: CommandContext, schemas: readonly string[], options: AdviseOptions): Promise<void> {
  const advice = await context.withApplication(async (app) => {
    const { IndexAdvisor } = await import('../../data/schema/advise/index-advisor.service.js');
    return app.get(IndexAdvisor, { strict: false }).advise(schemas, options.sample);
  });
  print(options.json, { advice }, formatAdvice(advice));
}

function formatAdvice(advice: readonly IndexAdvice[]): string {
  if (advice.length === 0) return 'No observed list request lacks an index.';
  const headings = [
    '',
    'schema',
    'index on',
    'lists',
    'mean, ms',
    'page, ms',
    'with index',
    '1000 inserts, ms',
    'with index',
    'size',
    'sample',
  ];
  const rows = advice.map(({ advised, schema, columns, seen, mean_ms, trial }) => [
    advised ? 'create' : 'skip',
    schema,
    columns.join(', '),
    String(seen),
    mean_ms.toFixed(1),
    trial.before.toFixed(2),
    trial.after.toFixed(2),
    trial.writeBefore.toFixed(1),
    trial.writeAfter.toFixed(1),
    `${(trial.bytes / 1_048_576).toFixed(1)} MB`,
    `${trial.sampled} of ${trial.rows}`,
  ]);
  const created = advice.filter(({ advised }) => advised);
  const lines = created.map(({ schema, columns }) => `  ${schema}: { "columns": ${JSON.stringify(columns)} }`);
  const next =
    created.length === 0
      ? 'No index is worth its cost.'
      : `Add these entries to "db": { "indexes": [ … ] }:\n${lines.join('\n')}`;
  return `${table(headings, rows)}\n\n${next}`;
}
