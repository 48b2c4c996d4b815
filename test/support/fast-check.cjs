/**
 * `fast-check` with a seed derived from the commit, so that every machine runs the same cases. Use another seed with `TEST_SEED=42 npm
 * test`. The landing tier runs a third of the cases of a property; the full tier and named specs run all of them.
 */
const { dirname, join } = require('node:path');
const fastCheck = require(join(dirname(require.resolve('fast-check/package.json')), 'lib/cjs/fast-check.js'));

fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });

const isFull = process.env.TEST_TIER === 'full';
const DEFAULT_RUNS = 100;

function assert(property, { numRuns = DEFAULT_RUNS, ...parameters } = {}) {
  return fastCheck.assert(property, { ...parameters, numRuns: isFull ? numRuns : Math.ceil(numRuns / 3) });
}

module.exports = { ...fastCheck, assert, default: { ...fastCheck, assert } };
