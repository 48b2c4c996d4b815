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
      'try the indexes that lists of the last 30 days would have used, each on a sample that nobody else sees; change nothing',
    )
    .argument('[schema...]', 'names of schemas; all unless given')
    .option('--sample <records>', 'records of a sample', records, SAMPLE)
    .option('--json', 'print JSON')
    .action((schemas: string[], options: AdviseOptions) => advise(context, schemas, options));
}

function records(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1_000 || value > 10_000_000)
    throw new InvalidArgumentError('It is a number from 1000 to 10000000.');
  return value;
}

async function advise(context: CommandContext, schemas: readonly string[], options: AdviseOptions): Promise<void> {
  const advice = await context.withApplication(async (app) => {
    const { SchemaToolsService } = await import('../../data/schema/schema-tools.service.js');
    return app.get(SchemaToolsService, { strict: false }).advise(schemas, options.sample);
  });
  print(options.json, { advice }, inWords(advice));
}

function inWords(advice: readonly IndexAdvice[]): string {
  if (advice.length === 0) return 'No list that was seen lacks an index.';
  const headings = [
    '',
    'schema',
    'index over',
    'lists',
    'took, ms',
    'page, ms',
    'with it',
    '1000 new, ms',
    'with it',
    'size',
    'sample',
  ];
  const rows = advice.map(({ advised, schema, columns, seen, mean_ms, trial }) => [
    advised ? 'make' : 'leave',
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
  const made = advice.filter(({ advised }) => advised);
  const lines = made.map(({ schema, columns }) => `  ${schema}: { "columns": ${JSON.stringify(columns)} }`);
  const next =
    made.length === 0
      ? 'None is worth its cost.'
      : `What to write into "db": { "indexes": [ … ] }:\n${lines.join('\n')}`;
  return `${table(headings, rows)}\n\n${next}`;
}
