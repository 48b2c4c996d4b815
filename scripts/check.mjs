/**
 * `npm run check`: format, lint, types, dependency rules, dead code, generated files, texts. All checks run; one failure is enough to fail.
 * `npm run check:fast`: format, lint and types, then the changed specs and the unit specs that import a changed file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { report } from './results.mjs';
import { compiler, run, runQuietly } from './run.mjs';

const isFast = process.argv.includes('--fast');

/** Cache directory of the tools. A fresh clone has none. */
const CACHE = 'node_modules/.cache/check';

/** @type {[name: string, program: string, args: string[]][]} */
const CHECKS = [
  ['format', 'oxfmt', ['--check']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'node', typesOf('tsconfig.json', 'service')],
  ['types of the pages', 'node', typesOf('dash/tsconfig.json', 'pages')],
];
/** Checks of the whole project. @type {[name: string, program: string, args: string[]][]} */
const SLOW_CHECKS = [
  ['dependency rules', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'src', 'packages/*/src', 'dash/src']],
  ['dead code', 'knip', []],
  ['generated files', 'node', ['scripts/generate.mjs', '--check']],
  ['texts', 'node', ['scripts/texts.mjs']],
];

const checks = isFast ? CHECKS : [...CHECKS, ...SLOW_CHECKS];
const failed = [];
const left = [...checks];
// Most of them use one core.
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
report('check', checks.length - failed.length, failed.length);
const code = isFast && failed.length === 0 ? await testChanges() : 0;
process.exit(failed.length === 0 ? code : 1);

async function testChanges() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const base = git('merge-base', 'HEAD', 'main')[0];
  const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  const files = changed.filter((path) => path.endsWith('.ts') && existsSync(path));
  const specs = files.filter((path) => path.endsWith('.spec.ts') && path.startsWith('test/'));
  const sources = files.filter((path) => !path.startsWith('test/'));
  const related = ['--selectProjects', 'unit', '--findRelatedTests', '--passWithNoTests', ...sources];
  const ofUnits = sources.length === 0 ? 0 : await run('node', ['scripts/test.mjs', ...related]);
  return ofUnits || (specs.length === 0 ? 0 : run('node', ['scripts/test.mjs', ...specs]));
}

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
