/**
 * Installs examples/enterprise-app from the packed tarball outside the repository, on the current Node. Checks that it compiles under
 * strict settings, passes its tests and runs. Needs a build.
 *
 *     node .ci/enterprise.mjs [directory]
 *
 * A given directory is kept, and the next run (with a second Node) reuses the installation. The last line is "enterprise application on
 * Node …: N passed, N failed".
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { report } from '../scripts/results.mjs';
import { compiler } from '../scripts/run.mjs';
import { installPacked, runIn } from '../test/support/packed-package.mjs';

const SAMPLE = fileURLToPath(new URL('../examples/enterprise-app', import.meta.url));
const NOT_COPIED = /\/(node_modules|dist|data)$/;
const TSC = 'node_modules/typescript/bin/tsc';
const SETTINGS = ['ACME_CURRENCY=CHF', 'ACME_MAIL_KEY=sesame-open'];
const START_MS = 60_000;

const directoryArgument = process.argv[2];
const directory = directoryArgument ?? mkdtempSync(join(tmpdir(), 'lintel-enterprise-'));
const dataDir = join(directory, `data-${process.versions.node}`);
let passed = 0;
let failed = 0;

for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1));
try {
  if (!existsSync(join(directory, 'node_modules/lintel'))) {
    await install();
    // Only once: the compiler's result does not depend on the Node version.
    await holds('compiles under strict settings', () => node(TSC));
  }
  // The native compiler must accept everything that the JavaScript compiler accepts.
  await holds('builds', () => node(compiler(), '-p', 'tsconfig.build.json'));
  await holds('passes its tests', test);
  await holds('names its command', async () => expectOutput(/acme:restock/, await node('dist/main.js', '--help')));
  await holds('shows its variables', async () => expectOutput(/ACME_CURRENCY.*CHF/, await main('config:check')));
  await holds('runs its command', async () => expectOutput(/7 pieces of tea/, await main('acme:restock', 'tea', '7')));
  await holds('applies its migrations after those of Lintel', async () =>
    expectOutput(
      /\d +applied\n[^]*StockLevels1795300000000 +applied/,
      (await main('migrate:up'), await main('migrate:status')),
    ),
  );
  await holds('serves, and writes the types of its schemas', serve);
  await holds('compiles with them', () => node(compiler()));
} finally {
  // The embedded database stops shortly after the last command.
  await delay(1_000);
  rmSync(directoryArgument === undefined ? directory : dataDir, {
    recursive: true,
    force: true,
    maxRetries: 20,
    retryDelay: 250,
  });
}
report(`enterprise application on Node ${process.versions.node}`, passed, failed);
process.exit(failed === 0 ? 0 : 1);

async function install() {
  mkdirSync(directory, { recursive: true });
  cpSync(SAMPLE, directory, { recursive: true, filter: (path) => !NOT_COPIED.test(path.slice(SAMPLE.length)) });
  await installPacked(directory, JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
}

function node(...args) {
  return runIn(directory, process.execPath, ...args);
}

function main(...args) {
  return runIn(directory, 'env', ...SETTINGS, `DATA_DIR=${dataDir}`, process.execPath, 'dist/main.js', ...args);
}

/**
 * Starts the application, generates the types of its schemas, and stops it. The start creates the schema tables. It is stopped only when it
 * is ready: before that, a signal simply kills it.
 */
async function serve() {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...Object.fromEntries(SETTINGS.map((pair) => pair.split('='))), DATA_DIR: dataDir };
  const service = spawn(process.execPath, ['dist/main.js'], {
    cwd: directory,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise((resolve) => service.once('close', resolve));
  const ready = new Promise((resolve) => {
    const hear = (text) => {
      output += text;
      if (/ is ready at /.test(output)) resolve();
    };
    for (const stream of [service.stdout, service.stderr]) stream.setEncoding('utf8').on('data', hear);
  });
  const timeout = Promise.race([ended, delay(START_MS)]);
  const written = await typesOf(timeout);
  await Promise.race([ready, timeout]);
  service.kill('SIGTERM');
  const code = await ended;
  return written.code === 0 ? { code: code ?? 1, output } : written;
}

/** Generates the types, once the starting service has created the tables. */
async function typesOf(timeout) {
  let over = false;
  void timeout.then(() => (over = true));
  for (;;) {
    const { code, output } = await main('schema:types', '--out', 'src/api.ts');
    const isThere = code === 0 && readFileSync(join(directory, 'src/api.ts'), 'utf8').includes('interface Order ');
    if (isThere || over) return { code: isThere ? 0 : 1, output };
    await delay(500);
  }
}

async function test() {
  const file = join(directory, `tests-${process.versions.node}.json`);
  const cache = join(directory, 'node_modules/.cache/jest');
  const options = ['--json', '--outputFile', file, '--cacheDirectory', cache, '--maxWorkers', '2'];
  const { code, output } = await node('node_modules/jest/bin/jest.js', ...options);
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
  passed += numPassedTests;
  failed += numFailedTests;
  console.log(`     ${numPassedTests} tests passed, ${numFailedTests} failed`);
  return { code, output };
}

function expectOutput(pattern, { code, output }) {
  return { code: code === 0 && pattern.test(output) ? 0 : 1, output };
}

async function holds(name, run) {
  const begin = performance.now();
  const { code, output } = await run();
  const isGood = code === 0;
  passed += isGood ? 1 : 0;
  failed += isGood ? 0 : 1;
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - begin)} ms)`);
  if (!isGood) console.log(output);
}
