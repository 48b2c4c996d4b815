/** Setup for tests that start the product: builds it if the sources are newer. */
const { note, secondsOf } = require('./processors.cjs');
const globalSetup = require('./global-setup.cjs');

module.exports = async function productSetup() {
  const { buildIfNeeded } = await import('../../scripts/run.mjs');
  const began = secondsOf();
  await buildIfNeeded();
  note('', 'the build', { run: secondsOf() - began });
  process.env.LINTEL_TEST_PRODUCT = 'built';
  await globalSetup();
};
