/** Stops the embedded server, or removes the template from the given one. */
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
  // The server releases its files shortly after the last lease ends.
  if (run.directory !== null) rmSync(run.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
};
