/**
 * `npm test`: everything that needs no browser, on the embedded database; where TEST_DATABASE_URL is set, a second time on
 * that PostgreSQL. Arguments go to jest: `npm test -- test/e2e/local`.
 */
import { buildIfNeeded, run } from './run.mjs';

await buildIfNeeded();
const args = process.argv.slice(2);
const jest = (environment) => run('node', ['node_modules/jest/bin/jest.js', ...args], { env: environment });
const { TEST_DATABASE_URL, ...embedded } = process.env;
let code = await jest({ ...embedded, NODE_ENV: 'test' });
if (TEST_DATABASE_URL) code = (await jest({ ...embedded, NODE_ENV: 'test', TEST_DATABASE_URL })) || code;
process.exit(code);
