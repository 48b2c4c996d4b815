/** Statements on the test server, for global setup and tests. */
const pg = require('pg');

function withDatabase(address, database) {
  const url = new URL(address.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** Runs one statement on the server, outside of any test database, and returns its rows. */
async function onServer(address, sql) {
  const client = new pg.Client({ connectionString: address.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

module.exports = { onServer, withDatabase };
