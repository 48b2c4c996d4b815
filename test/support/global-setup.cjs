/**
 * Prepares a PostgreSQL server (embedded, or TEST_DATABASE_URL) with a migrated template database. Both test projects with a setup share
 * it.
 */
const { appendFileSync, mkdtempSync, readFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { copyCluster } = require('./copy-cluster.cjs');
const { note, secondsOf } = require('./processors.cjs');
const { onServer, withDatabase } = require('./server-statements.cjs');

const TEMPLATE = `lintel_template_${process.pid}`;
/** Settings of a throw-away server: it neither waits for the disk nor vacuums. */
const THROWN_AWAY =
  'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nwal_level = minimal\nmax_wal_senders = 0\nautovacuum = off\n';

module.exports = async function globalSetup() {
  if (globalThis.lintelTestRun !== undefined) return;
  const began = secondsOf();
  const { importSource } = await import('../../scripts/transpile.mjs');
  const { applicationTables } = await importSource('src/app.module');
  const { migrate } = await importSource('src/platform/database/migrations/migrator');
  const url = process.env.TEST_DATABASE_URL;
  const makeTables = (of) => migrate(of, applicationTables());
  const run = url ? await onExternalServer({ url }, makeTables) : await onOwnServer(importSource, makeTables);
  globalThis.lintelTestRun = run;
  const { address, template, cluster } = run;
  const pooler = process.env.TEST_POOLER_URL;
  const strategy = await strategyOf(run.address);
  note('', 'the database that is copied', { run: secondsOf() - began });
  process.env.LINTEL_TEST_SERVER = JSON.stringify({
    address,
    template,
    cluster,
    strategy,
    way: pooler ? { url: pooler } : address,
  });
};

async function onExternalServer(address, makeTables) {
  const template = TEMPLATE;
  await onServer(address, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  await onServer(address, `CREATE DATABASE ${template}`);
  await makeTables(withDatabase(address, template));
  return { address, template, cluster: null, directory: null, pid: null, release: () => Promise.resolve() };
}

/** Starts an embedded server. Also creates a migrated cluster directory, for tests whose services need their own embedded database. */
async function onOwnServer(importSource, makeTables) {
  const { acquireEmbeddedPostgres } = await importSource('packages/embedded-postgres/src/embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'lintel-test-'));
  const home = { directory: join(directory, 'postgres'), name: 'lintel' };
  const files = join(home.directory, 'cluster');
  const cluster = join(directory, 'cluster');
  const first = await acquireEmbeddedPostgres(home);
  await makeTables({ url: first.url });
  await first.end();
  copyCluster(files, cluster);
  appendFileSync(join(files, 'postgresql.auto.conf'), THROWN_AWAY);
  const lease = await acquireEmbeddedPostgres(home);
  const address = { url: lease.url };
  await onServer(address, `CREATE DATABASE ${TEMPLATE} TEMPLATE lintel STRATEGY FILE_COPY`);
  const [pid] = readFileSync(join(files, 'postmaster.pid'), 'utf8').split('\n');
  return { address, template: TEMPLATE, cluster, directory, pid: Number(pid), release: () => lease.release() };
}

/**
 * Returns the CREATE DATABASE strategy. Copying pages takes 0.25 s of processor time, copying files an eighth of that. File copies need two
 * checkpoints, which are cheap only on servers without fsync, such as this one and the one of `.ci/run`.
 */
async function strategyOf(address) {
  const sql =
    "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS quick";
  const [{ quick }] = await onServer(address, sql);
  return quick ? 'STRATEGY FILE_COPY' : '';
}
