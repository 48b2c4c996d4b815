/** Decorators of Nest, TypeORM and class-validator need their metadata. */
const jsc = {
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
  target: 'es2022',
};

/** Makes CommonJS of everything, libraries too: Jest takes ES modules by `require` only from Node 24.9 on. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', { jsc, module: { type: 'commonjs' } }] },
  transformIgnorePatterns: [],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testTimeout: 60_000,
};
