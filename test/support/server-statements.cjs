/** Statements on the test server, for the set-up and for the tests. */
const pg = require('pg');

/** Returns the address of another database on the same server. */
function withDatabase(address, database) {
  const url = new URL(address.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** Runs one statement on the server, outside of any test database, and answers its rows. */
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
