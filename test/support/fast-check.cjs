/**
 * `fast-check` with a seed derived from the commit, so that every machine runs the same cases. Use another seed with `TEST_SEED=42 npm
 * test`.
 */
const { dirname, join } = require('node:path');
const fastCheck = require(join(dirname(require.resolve('fast-check/package.json')), 'lib/cjs/fast-check.js'));

fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
module.exports = fastCheck;
