/**
 * `npm test`: everything that needs no browser, on the embedded database; where TEST_DATABASE_URL is set, what speaks to a
 * database a second time on that PostgreSQL (see jest.config.mjs). Arguments go to jest: `npm test -- test/e2e/local`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfNeeded, run } from './run.mjs';

const { TEST_DATABASE_URL, ...environment } = process.env;
const DATABASES = { embedded: {}, ...(TEST_DATABASE_URL ? { PostgreSQL: { TEST_DATABASE_URL } } : {}) };

await buildIfNeeded();
const lines = [];
let failed = false;
for (const [name, extra] of Object.entries(DATABASES)) {
  const { code, counts } = await jest({ ...environment, ...extra, NODE_ENV: 'test' });
  failed ||= code !== 0;
  lines.push(`tests on ${name}: ${counts.passed} passed, ${counts.failed} failed`);
}
console.log(lines.join('\n'));
process.exit(failed ? 1 : 0);

/** Runs jest once and answers its exit code and what it counted. A file that does not even load counts as a failure. */
async function jest(env) {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-jest-'));
  const report = join(directory, 'report.json');
  const args = ['node_modules/jest/bin/jest.js', '--json', '--outputFile', report, ...process.argv.slice(2)];
  const code = await run('node', args, { env });
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    const broken = numFailedTests + numRuntimeErrorTestSuites;
    return { code, counts: { passed: numPassedTests, failed: code === 0 ? broken : Math.max(1, broken) } };
  } catch {
    return { code: code || 1, counts: { passed: 0, failed: 1 } };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
