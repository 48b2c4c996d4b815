/**
 * Loads a test file inside of a suite (suite-runner.cjs), and takes back afterwards what it did to things that all files
 * share. One that cannot be loaded is a failed test, and the others run.
 */
const { note, secondsOf } = require('./processors.cjs');

/** Symbol under which jest.setTimeout keeps what it is given, for all that is loaded with the file. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/** Timeouts that each file gave; suite-environment.cjs goes by them. */
const timeouts = (globalThis.timeoutsOfFiles = new Map());

module.exports = function describeFile(kind, name, path) {
  describe(name, () => {
    const environment = { ...process.env };
    const began = secondsOf();
    let started;
    delete globalThis[TIMEOUT];
    // The first of the file's hooks.
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
    // The last of the file's hooks: they run in the order in which they are declared.
    afterAll(() => {
      jest.useRealTimers();
      jest.restoreAllMocks();
      for (const key of Object.keys(process.env)) if (!(key in environment)) delete process.env[key];
      Object.assign(process.env, environment);
      note(kind, name, { load, run: secondsOf() - started });
    });
  });
};
