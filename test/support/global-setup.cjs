/**
 * Before all tests: a server (the embedded one, or that of TEST_DATABASE_URL) with one migrated database to copy.
 * It runs outside of jest's module system, on the built product: `npm test` builds first.
 */
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { onServer, withDatabase } = require('./server-statements.cjs');

module.exports = async function globalSetup() {
  const { Migrator } = await import('../../dist/src/database/migrator.js');
  const run = await openServer();
  await onServer(run.address, `DROP DATABASE IF EXISTS ${run.template} WITH (FORCE)`);
  await onServer(run.address, `CREATE DATABASE ${run.template}`);
  await new Migrator(withDatabase(run.address, run.template)).up();
  globalThis.lintelTestRun = run;
  process.env.LINTEL_TEST_SERVER = JSON.stringify({ address: run.address, template: run.template });
};

async function openServer() {
  const template = `lintel_template_${process.pid}`;
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { address: { url }, template, dataDir: null, release: () => Promise.resolve() };
  const { acquireEmbeddedPostgres } = await import('../../dist/src/database/embedded/embedded-postgres.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-test-'));
  const lease = await acquireEmbeddedPostgres({ dataDir });
  const { host, port, user: username, password, database } = lease;
  return { address: { host, port, username, password, database }, template, dataDir, release: () => lease.release() };
}
