/**
 * Loads a test file as part of a suite (suite-runner.cjs), and afterwards resets the global state that it changed. A file that fails to
 * load becomes one failed test; the other files still run.
 */
const { note, secondsOf } = require('./processors.cjs');

/** Symbol under which jest.setTimeout stores its value, for everything loaded with the file. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/** Timeouts by file, used by suite-environment.cjs. */
const timeouts = (globalThis.timeoutsOfFiles = new Map());

module.exports = function describeFile(kind, name, path) {
  describe(name, () => {
    const environment = { ...process.env };
    const began = secondsOf();
    let started;
    delete globalThis[TIMEOUT];
    // Runs before the hooks of the file.
    beforeAll(() => {
      started = secondsOf();
    });
    try {
      require(path);
    } catch (error) {
      it('can be loaded', () => {
        throw error;
      });
    }
    const load = secondsOf() - began;
    timeouts.set(name, globalThis[TIMEOUT]);
    delete globalThis[TIMEOUT];
    // Runs after the hooks of the file: hooks run in declaration order.
    afterAll(() => {
      jest.useRealTimers();
      jest.restoreAllMocks();
      for (const key of Object.keys(process.env)) if (!(key in environment)) delete process.env[key];
      Object.assign(process.env, environment);
      note(kind, name, { load, run: secondsOf() - started });
    });
  });
};
