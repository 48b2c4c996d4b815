/**
 * Runs a suite (suite-runner.cjs) in the realm of the worker. Libraries (LIBRARY) stay loaded between suites and run at the speed of the
 * product. Changes that a suite makes to the realm are reverted after it. See docs/internals/adr/0002.
 */
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Placeholder for the existing realm: Jest requires a created context, but nothing is compiled in it. */
const THIS_REALM = vm.createContext({});
/** Modules that Node loads once per worker. Jest's own modules hold state per suite. */
const LIBRARY = /[\\/]node_modules[\\/](?!@jest|jest-|expect)/;
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) => {
  if (options?.parsingContext !== THIS_REALM) return compileFunction(code, parameters, options);
  const { filename } = options;
  if (LIBRARY.test(filename)) return (module) => (module.exports = require(filename));
  return compileFunction(code, parameters, { ...options, parsingContext: undefined });
};

module.exports = class SuiteEnvironment extends TestEnvironment {
  #usual;
  #realm = Object.getOwnPropertyDescriptors(globalThis);
  #environment = { ...process.env };
  #exit = process.exit;

  constructor(config, context) {
    super(config, context);
    const { moduleMocker, fakeTimers, fakeTimersModern } = this;
    this.context = THIS_REALM;
    this.global = globalThis;
    this.moduleMocker = new moduleMocker.constructor(globalThis);
    const timers = {
      config: config.projectConfig,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (timer) => timer, refToId: (timer) => timer },
    };
    this.fakeTimers = new fakeTimers.constructor(timers);
    this.fakeTimersModern = new fakeTimersModern.constructor(timers);
    Error.stackTraceLimit = 100;
  }

  /** Applies timeouts per file: `jest.setTimeout` affects only the file that calls it, not the other files of the suite. */
  async handleTestEvent(event, state) {
    if (event.name !== 'hook_start' && event.name !== 'test_fn_start') return;
    this.#usual ??= state.testTimeout;
    let block = event.name === 'hook_start' ? event.hook.parent : event.test.parent;
    while (block.parent?.parent) block = block.parent;
    state.testTimeout = this.global.timeoutsOfFiles?.get(block.name) ?? this.#usual;
  }

  async teardown() {
    await super.teardown();
    process.exit = this.#exit;
    for (const key of Object.keys(process.env)) if (!(key in this.#environment)) delete process.env[key];
    Object.assign(process.env, this.#environment);
    for (const key of Reflect.ownKeys(globalThis))
      if (!Object.hasOwn(this.#realm, key)) Reflect.deleteProperty(globalThis, key);
    Object.defineProperties(globalThis, this.#realm);
  }
};
