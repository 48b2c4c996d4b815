/**
 * `npm test`: everything that needs no browser, on the embedded database; where TEST_DATABASE_URL is set, what speaks SQL of
 * its own a second time on that PostgreSQL, or with TEST_KIND that kind there alone. Arguments go to jest:
 * `npm test -- test/e2e/local`; files that are named run on both. With TEST_POOLER_URL everything runs once, on that PostgreSQL,
 * and reaches it through that pooler. The kinds of tests are the projects of jest.config.mjs:
 * `npm test -- --selectProjects unit`. What they write for a while lies in memory where there is room for it, or where TEST_TMPDIR says.
 * With TEST_PROFILE, a file that is made anew, it tells where the processors were.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { printProfile } from './profile.mjs';
import { report } from './results.mjs';
import { run } from './run.mjs';
import { temporaryFolder } from './temporary.mjs';

const args = process.argv.slice(2);
const { TEST_DATABASE_URL, TEST_POOLER_URL, ...environment } = process.env;
/** The second run: of what speaks SQL of its own, unless files are named. */
const SECOND = args.some((arg) => arg.includes('/')) ? { TEST_DATABASE_URL } : { TEST_DATABASE_URL, TEST_KIND: 'sql' };

/** As the service itself is started: its workers have it as well. A tenth of their time went into collections of short-lived objects. */
const FEW_COLLECTIONS = ['--max-semi-space-size=32'];

const RUNS = TEST_POOLER_URL
  ? { 'tests behind a pooler': { TEST_DATABASE_URL, TEST_POOLER_URL } }
  : TEST_DATABASE_URL && environment.TEST_KIND
    ? { 'tests on PostgreSQL': { TEST_DATABASE_URL } }
    : { 'tests on embedded': {}, ...(TEST_DATABASE_URL ? { 'tests on PostgreSQL': SECOND } : {}) };

if (environment.TEST_PROFILE) {
  environment.TEST_PROFILE = resolve(environment.TEST_PROFILE);
  rmSync(environment.TEST_PROFILE, { force: true });
}
const temporary = mkdtempSync(join(temporaryFolder(), 'lintel-'));
// Servers of the tests run as another user at times.
chmodSync(temporary, 0o755);
environment.TMPDIR = temporary;
for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => {
    removeTemporary();
    process.exit(1);
  });

console.log(
  'Running the tests; the results of each file follow. A first run also builds the service (about one minute).',
);
const counted = [];
for (const [name, extra] of Object.entries(RUNS)) counted.push(await test(name, extra));
for (const { name, passed, failed } of counted) report(name, passed, failed);
if (environment.TEST_PROFILE) {
  const { secondsOf } = createRequire(import.meta.url)('../test/support/processors.cjs');
  printProfile(environment.TEST_PROFILE, secondsOf());
}
removeTemporary();
process.exit(counted.every(({ code }) => code === 0) ? 0 : 1);

/** Removes the temporary directory. A server lets go of its files a moment after the last lease ends. */
function removeTemporary() {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

/** Runs jest once and answers its exit code and what it counted. A file that does not even load counts as a failure. */
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
