/**
 * The environment of a suite (suite-runner.cjs): the realm of the worker itself, in which libraries stay loaded from suite to
 * suite (LIBRARY), and are as fast as in the product. What a suite does to the realm is taken back after it. See
 * docs/internals/adr/0002.
 */
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Stands for the realm that is there, in which jest would compile nothing: it wants a context that was made. */
const THIS_REALM = vm.createContext({});
/** Modules that are loaded once a worker, as Node loads them. Jest's own modules keep the state of a suite. */
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

  /** Handles a file's timeout. A file's `jest.setTimeout` holds for the file that says it, not for those that are loaded with it. */
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
