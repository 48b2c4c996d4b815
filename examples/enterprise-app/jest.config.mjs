/** Decorators of Nest, TypeORM and class-validator need their metadata. */
const jsc = {
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
  target: 'es2022',
};

/** Compiles everything to CommonJS, libraries too: Jest supports `require` of ES modules only from Node 24.9. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', { jsc, module: { type: 'commonjs' } }] },
  transformIgnorePatterns: [],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testTimeout: 60_000,
};
