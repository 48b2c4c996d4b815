/** Before tests that start the product: it is built where the sources are newer. */
const globalSetup = require('./global-setup.cjs');

module.exports = async function productSetup() {
  const { buildIfNeeded } = await import('../../scripts/run.mjs');
  await buildIfNeeded();
  process.env.LINTEL_TEST_PRODUCT = 'built';
  await globalSetup();
};
