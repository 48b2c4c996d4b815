/**
 * The environment of a suite (suite-runner.cjs): a file's `jest.setTimeout` holds for the file that says it, not for those
 * that are loaded with it.
 */
const { TestEnvironment } = require('jest-environment-node');

module.exports = class SuiteEnvironment extends TestEnvironment {
  #usual;

  async handleTestEvent(event, state) {
    if (event.name !== 'hook_start' && event.name !== 'test_fn_start') return;
    this.#usual ??= state.testTimeout;
    let block = event.name === 'hook_start' ? event.hook.parent : event.test.parent;
    while (block.parent?.parent) block = block.parent;
    state.testTimeout = this.global.timeoutsOfFiles?.get(block.name) ?? this.#usual;
  }
};
