/**
 * Before all tests: a server (the embedded one, or that of TEST_DATABASE_URL) with one migrated database to copy.
 * Both kinds of tests that have a set-up share it.
 */
const { appendFileSync, mkdtempSync, readFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { note, secondsOf } = require('./processors.cjs');
const { onServer, withDatabase } = require('./server-statements.cjs');

module.exports = async function globalSetup() {
  if (globalThis.lintelTestRun !== undefined) return;
  const began = secondsOf();
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
  const strategy = await strategyOf(run.address);
  note('', 'the database that is copied', { run: secondsOf() - began });
  process.env.LINTEL_TEST_SERVER = JSON.stringify({
    address,
    template,
    strategy,
    way: pooler ? { url: pooler } : address,
  });
};

async function openServer(importSource) {
  const template = `lintel_template_${process.pid}`;
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { address: { url }, template, directory: null, pid: null, release: () => Promise.resolve() };
  const { acquireEmbeddedPostgres } = await importSource('packages/embedded-postgres/src/embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'lintel-test-'));
  const lease = await acquireEmbeddedPostgres({ directory, name: 'lintel' });
  const pid = relyOnNoDisk(join(directory, 'cluster'));
  return { address: { url: lease.url }, template, directory, pid, release: () => lease.release() };
}

/**
 * How a server copies databases. Page by page it takes a quarter of a second of a processor, and as files an eighth of that. The
 * latter asks for two checkpoints, which are cheap where a server waits for no disk, as ours and that of `.ci/run`.
 */
async function strategyOf(address) {
  const sql =
    "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS quick";
  const [{ quick }] = await onServer(address, sql);
  return quick ? 'STRATEGY FILE_COPY' : '';
}

/** What the tests write is worth nothing after a crash: the server need not wait for the disk. Returns its process. */
function relyOnNoDisk(cluster) {
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n',
  );
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGHUP');
  return Number(pid);
}
