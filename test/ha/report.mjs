/** The table of faults in docs/guides/operating/failover.md, generated from the last results. `node test/ha/report.mjs` checks that it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RESULTS = new URL('results.json', import.meta.url);
const PAGE = new URL('../../docs/guides/operating/failover.md', import.meta.url);
const [BEGIN, END] = [
  '<!-- Generated table of `npm run test:ha -- --publish`. -->',
  '<!-- End of the generated table. -->',
];

export function publish(rows, args) {
  const command = ['npm run test:ha --', ...args].join(' ');
  writeFileSync(RESULTS, `${JSON.stringify({ command, rows }, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
}

function withTable(page) {
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest.split(END);
  return `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
}

function table() {
  const { command, rows } = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const cells = [
    [
      'Fault',
      'Rounds',
      'Acknowledged writes',
      'Lost writes',
      'Duplicate writes',
      'HTTP 500',
      'Time without writes',
      'Revoked session refused',
    ],
    ...rows.map(({ fault, rounds, acknowledged, lost, doubled, faults, withoutWrite, revocation }) => [
      fault,
      rounds,
      acknowledged,
      lost,
      doubled,
      faults,
      `${median(withoutWrite).toFixed(1)} s, at most ${Math.max(...withoutWrite).toFixed(1)} s`,
      `after at most ${Math.max(...revocation)} ms`,
    ]),
  ].map((row) => row.map(String));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [`\`${command}\`:`, '', line(head), rule, ...body.map(line)].join('\n');
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(PAGE, 'utf8');
  if (withTable(page) !== page) {
    console.error('The table of faults in docs/guides/operating/failover.md is not that of test/ha/results.json.');
    process.exitCode = 1;
  }
}
