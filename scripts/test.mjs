/**
 * `npm test`: the specs of the landing tier, on the embedded database. `npm run test:full`: all specs (test/tiers.mjs).
 * Arguments go to Jest: `npm test -- test/e2e/local` runs named files of any tier, `npm test -- --selectProjects unit` one kind
 * (jest.config.mjs).
 *
 * With TEST_DATABASE_URL the specs that use SQL directly, or the named files, run a second time on that PostgreSQL; with TEST_KIND that
 * kind runs there alone. With TEST_POOLER_URL everything runs once, on that PostgreSQL, through that pooler.
 *
 * Temporary files are in memory if there is room, or in TEST_TMPDIR. Ends with the slowest files; TEST_PROFILE names a file for the
 * processor times of all.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { printSlowest } from './profile.mjs';
import { report } from './results.mjs';
import { run } from './run.mjs';
import { temporaryFolder } from './temporary.mjs';

const isFull = process.argv.includes('--full');
const args = process.argv.slice(2).filter((arg) => arg !== '--full');
const { TEST_DATABASE_URL, TEST_POOLER_URL, ...environment } = process.env;
const hasNames = args.some((arg) => arg.includes('/'));
if (isFull || hasNames) environment.TEST_TIER = 'full';
/** The second run: specs that use SQL directly, or the named files. */
const SECOND = hasNames ? { TEST_DATABASE_URL } : { TEST_DATABASE_URL, TEST_KIND: 'sql' };

/** The flag of the service itself, also for its workers. Collections of short-lived objects took a tenth of their time without it. */
const FEW_COLLECTIONS = ['--max-semi-space-size=32'];

const RUNS = TEST_POOLER_URL
  ? { 'tests behind a pooler': { TEST_DATABASE_URL, TEST_POOLER_URL } }
  : TEST_DATABASE_URL && environment.TEST_KIND
    ? { 'tests on PostgreSQL': { TEST_DATABASE_URL } }
    : { 'tests on embedded': {}, ...(TEST_DATABASE_URL ? { 'tests on PostgreSQL': SECOND } : {}) };

const temporary = mkdtempSync(join(temporaryFolder(), 'lintel-'));
// Test servers may run as another user.
chmodSync(temporary, 0o755);
environment.TMPDIR = temporary;
environment.TEST_PROFILE = resolve(environment.TEST_PROFILE ?? join(temporary, 'profile'));
rmSync(environment.TEST_PROFILE, { force: true });
for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => {
    removeTemporary();
    process.exit(1);
  });

const stages = Object.entries(RUNS);
const counted = [];
for (const [at, [name, extra]] of stages.entries()) {
  console.log(`Stage ${at + 1} of ${stages.length}: ${name}. The first run builds the service (about a minute).`);
  const startedAt = Date.now();
  counted.push(await test(name, extra));
  console.log(`Stage ${at + 1} of ${stages.length} took ${Math.round((Date.now() - startedAt) / 1_000)} seconds.`);
}
for (const { name, passed, failed } of counted) report(name, passed, failed);
printSlowest(environment.TEST_PROFILE);
removeTemporary();
process.exit(counted.every(({ code }) => code === 0) ? 0 : 1);

/** Removes the temporary directory. A server releases its files shortly after the last lease ends. */
function removeTemporary() {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

/** Runs jest once and returns its exit code and counts. A file that fails to load counts as a failure. */
async function test(name, extra) {
  const env = { ...environment, ...extra, NODE_ENV: 'test' };
  const directory = mkdtempSync(join(temporary, 'jest-'));
  const file = join(directory, 'report.json');
  const options = [...FEW_COLLECTIONS, 'node_modules/jest/bin/jest.js', '--json', '--outputFile', file, ...args];
  const code = await run('node', options, { env });
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
    const broken = numFailedTests + numRuntimeErrorTestSuites;
    return { name, code, passed: numPassedTests, failed: code === 0 ? broken : Math.max(1, broken) };
  } catch {
    return { name, code: code || 1, passed: 0, failed: 1 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
