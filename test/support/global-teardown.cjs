/** After all tests: the server goes, or is left as it was found. */
const { rmSync } = require('node:fs');
const { note, secondsOfTree } = require('./processors.cjs');
const { onServer } = require('./server-statements.cjs');

module.exports = async function globalTeardown() {
  const run = globalThis.lintelTestRun;
  if (run === undefined) return;
  globalThis.lintelTestRun = undefined;
  if (run.directory === null) await onServer(run.address, `DROP DATABASE IF EXISTS ${run.template} WITH (FORCE)`);
  if (run.pid !== null) note('', 'the database server', { run: secondsOfTree(run.pid) });
  await run.release();
  // The server lets go of its files a moment after the last lease ends.
  if (run.directory !== null) rmSync(run.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
};
