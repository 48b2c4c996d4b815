/**
 * Before all tests: a server (the embedded one, or that of TEST_DATABASE_URL) with one migrated database to copy.
 * Both kinds of tests that have a set-up share it.
 */
const { appendFileSync, mkdtempSync, readFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { onServer, withDatabase } = require('./server-statements.cjs');

module.exports = async function globalSetup() {
  if (globalThis.lintelTestRun !== undefined) return;
  const { importSource } = await import('../../scripts/transpile.mjs');
  const { applicationTables } = await importSource('src/app.module');
  const { migrate } = await importSource('src/platform/database/migrator');
  const run = await openServer(importSource);
  await onServer(run.address, `DROP DATABASE IF EXISTS ${run.template} WITH (FORCE)`);
  await onServer(run.address, `CREATE DATABASE ${run.template}`);
  await migrate(withDatabase(run.address, run.template), applicationTables());
  globalThis.lintelTestRun = run;
  const { address, template } = run;
  const pooler = process.env.TEST_POOLER_URL;
  process.env.LINTEL_TEST_SERVER = JSON.stringify({ address, template, way: pooler ? { url: pooler } : address });
};

async function openServer(importSource) {
  const template = `lintel_template_${process.pid}`;
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { address: { url }, template, directory: null, release: () => Promise.resolve() };
  const { acquireEmbeddedPostgres } = await importSource('packages/embedded-postgres/src/embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'lintel-test-'));
  const lease = await acquireEmbeddedPostgres({ directory, name: 'lintel' });
  relyOnNoDisk(join(directory, 'cluster'));
  return { address: { url: lease.url }, template, directory, release: () => lease.release() };
}

/** What the tests write is worth nothing after a crash: the server need not wait for the disk. */
function relyOnNoDisk(cluster) {
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n',
  );
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGHUP');
}
