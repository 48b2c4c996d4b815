/**
 * `fast-check` as the tests import it: the cases of a run follow from the commit, so that a run on another machine meets the
 * same ones. Another seed: `TEST_SEED=42 npm test`.
 */
const { dirname, join } = require('node:path');
const fastCheck = require(join(dirname(require.resolve('fast-check/package.json')), 'lib/cjs/fast-check.js'));

fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
module.exports = fastCheck;
