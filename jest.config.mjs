import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { includes, tierOf } from './test/tiers.mjs';

const ROOT = import.meta.dirname;
/** With TEST_DATABASE_URL, tests run on that server and specs about the embedded one are skipped: see scripts/test.mjs. */
const onServer = Boolean(process.env.TEST_DATABASE_URL);
const { TEST_KIND, TEST_TIER = 'landing', TEST_WORKERS } = process.env;
/** Seed for property tests, derived from the commit: the cases change with each commit, and all machines run the same ones. */
process.env.TEST_SEED ??= String(Number.parseInt(commit().slice(0, 7), 16));

const STARTS_PROCESSES =
  /from '[^']*\/(service-home|service|own-application|product|holder|packed-package)\.m?js'|from 'node:child_process'/;
const SPEAKS_SQL = /^test\/(e2e\/(content|database|schema)|contract)\//;
/** Tests of the workspace packages start processes, but never use a given server. */
const OF_PACKAGES = /^packages\//;

const specs = ['test', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/test`)]
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => path.endsWith('.spec.ts') && !(onServer && OF_PACKAGES.test(path)))
  .filter((path) => includes(TEST_TIER, tierOf(path)));
const kindOf = (path) => {
  if (OF_PACKAGES.test(path) || STARTS_PROCESSES.test(readFileSync(join(ROOT, path), 'utf8'))) return 'process';
  return SPEAKS_SQL.test(path) ? 'sql' : 'api';
};
const ofKind = (kind) => specs.filter((path) => kindOf(path) === kind).map((path) => `<rootDir>/${path}`);

/** Shared settings. Project files are transformed to CommonJS; libraries are loaded unchanged: see docs/internals/adr/0002. */
const shared = {
  rootDir: ROOT,
  roots: ['<rootDir>/src', '<rootDir>/packages', '<rootDir>/dash/src', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/suite-environment.cjs',
  runner: '<rootDir>/test/support/suite-runner.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  // Not in the temporary directory, which is new in each run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  moduleFileExtensions: ['ts', 'mjs', 'cjs', 'js', 'json', 'node'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest'] },
  transformIgnorePatterns: ['/node_modules/'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', '^fast-check$': '<rootDir>/test/support/fast-check.cjs' },
};
const onDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
};
const onProduct = { ...onDatabase, globalSetup: '<rootDir>/test/support/product-setup.cjs' };

const projects = [
  {
    ...shared,
    displayName: 'unit',
    testMatch: onServer ? [] : ['<rootDir>/{src,packages/*/src,dash/src}/**/*.spec.ts'],
  },
  { ...shared, ...onDatabase, displayName: 'api', testMatch: ofKind('api') },
  { ...shared, ...onDatabase, displayName: 'sql', testMatch: ofKind('sql') },
  { ...shared, ...onProduct, displayName: 'process', testMatch: ofKind('process') },
];

export default {
  projects: projects.filter(
    ({ displayName, testMatch }) => testMatch.length > 0 && displayName === (TEST_KIND ?? displayName),
  ),
  // All named files may be about the embedded database.
  passWithNoTests: onServer && TEST_KIND === undefined,
  coverageProvider: 'v8',
  // Stops hanging tests. This is not a speed limit: on a busy machine a test takes ten times as long.
  testTimeout: 120_000,
  // More workers than processors, because tests often wait (for a process, a mail, a lock). TEST_WORKERS sets fewer.
  maxWorkers: Number(TEST_WORKERS ?? Math.min(2 * availableParallelism(), 8)),
  // Each suite loads the application again, and some memory is never released: a large worker is replaced.
  workerIdleMemoryLimit: '1GB',
  workerGracefulExitTimeout: 5_000,
};

/** Returns the current commit hash, or a fixed one for a tree without history. */
function commit() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '1';
  }
}
