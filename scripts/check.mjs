/** `npm run check`: format, lint, types, dependency rules, dead code, generated files. Everything runs; one fault fails. */
import { run } from './run.mjs';
import { report } from './results.mjs';

/** What the tools remember of files that did not change. A fresh clone has none of it. */
const CACHE = 'node_modules/.cache/check';

/** @type {[name: string, program: string, args: string[]][]} */
const CHECKS = [
  [
    'format',
    'prettier',
    [
      '--check',
      '--log-level',
      'warn',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      `${CACHE}/prettier`,
      '.',
    ],
  ],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', ['-p', 'tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/service.json`]],
  [
    'types of the pages',
    'tsc',
    ['-p', 'dash/tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/pages.json`],
  ],
  ['dependency rules', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'src', 'packages/*/src', 'dash/src']],
  ['dead code', 'knip', []],
  ['generated files', 'node', ['scripts/generate.mjs', '--check']],
];

const failed = [];
for (const [name, program, args] of CHECKS) {
  const code = await run(program, args);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (code !== 0) failed.push(name);
}
report('check', CHECKS.length - failed.length, failed.length);
process.exit(failed.length === 0 ? 0 : 1);
