/** `npm run check`: format, lint, types, dependency rules, dead code, generated files. Everything runs; one fault fails. */
import { availableParallelism } from 'node:os';
import { report } from './results.mjs';
import { compiler, runQuietly } from './run.mjs';

/** Directory of what the tools remember of files that did not change. A fresh clone has none of it. */
const CACHE = 'node_modules/.cache/check';

/** @type {[name: string, program: string, args: string[]][]} */
const CHECKS = [
  ['format', 'oxfmt', ['--check']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'node', typesOf('tsconfig.json', 'service')],
  ['types of the pages', 'node', typesOf('dash/tsconfig.json', 'pages')],
  ['dependency rules', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'src', 'packages/*/src', 'dash/src']],
  ['dead code', 'knip', []],
  ['generated files', 'node', ['scripts/generate.mjs', '--check']],
];

const failed = [];
const left = [...CHECKS];
// Most of them use one core.
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
report('check', CHECKS.length - failed.length, failed.length);
process.exit(failed.length === 0 ? 0 : 1);

function typesOf(config, name) {
  return [compiler(), '-p', config, '--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/${name}.json`];
}

async function work() {
  for (let check = left.shift(); check !== undefined; check = left.shift()) {
    const [name, program, args] = check;
    const { code, output } = await runQuietly(program, args);
    process.stdout.write(code === 0 ? '' : output);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
    if (code !== 0) failed.push(name);
  }
}
