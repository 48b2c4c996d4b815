/** With TEST_DATABASE_URL only what speaks to a database is run, and not what is about the embedded one: see scripts/test.mjs. */
const onServer = Boolean(process.env.TEST_DATABASE_URL);

/** Everything, node_modules too, is transformed to CommonJS: see docs/adr/0002. */
export default {
  rootDir: '.',
  testEnvironment: 'node',
  testMatch: [...(onServer ? [] : ['<rootDir>/{src,dash/src}/**/*.spec.ts']), '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/browser/',
    ...(onServer ? ['<rootDir>/test/e2e/embedded/'] : []),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  moduleFileExtensions: ['ts', 'mjs', 'cjs', 'js', 'json', 'node'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest'] },
  transformIgnorePatterns: [],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  coverageProvider: 'v8',
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  testTimeout: 30_000,
  maxWorkers: 2,
  // Each file loads the whole application anew, and not all of it is let go: a worker that has grown is replaced.
  workerIdleMemoryLimit: '1GB',
};
