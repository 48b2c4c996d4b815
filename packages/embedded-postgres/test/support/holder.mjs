/**
 * A process that holds a lease, for tests that kill it: `holder.mjs <directory> [write]`. Prints one JSON object per line. With `write`, it
 * commits rows and prints each acknowledged row.
 */
import pg from 'pg';
import { acquireEmbeddedPostgres } from '../../../../dist/packages/embedded-postgres/src/embedded-postgres.js';

const [directory, task] = process.argv.slice(2);
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

try {
  const startedAt = performance.now();
  const lease = await acquireEmbeddedPostgres({ directory, name: 'sample' });
  print({ event: 'ready', url: lease.url, milliseconds: performance.now() - startedAt });
  if (task === 'write') await writeRows(lease);
  else setInterval(() => undefined, 1000);
} catch (error) {
  print({ event: 'error', code: error.code, message: error.message });
  process.exitCode = 1;
}

async function writeRows({ url }) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(1); CREATE TABLE IF NOT EXISTS written (id text PRIMARY KEY);
    COMMIT`);
  for (let number = 0; ; number += 1) {
    const id = `${process.pid}-${number}`;
    await client.query('INSERT INTO written VALUES ($1)', [id]);
    print({ event: 'row', id });
  }
}
