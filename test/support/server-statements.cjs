/** Statements on the test server, for the set-up and for the tests. */
const pg = require('pg');

/** The client options of an address: `{url}`, or the parts of one. */
function clientOptions(address) {
  if ('url' in address) return { connectionString: address.url };
  const { username: user, ...rest } = address;
  return { ...rest, user };
}

/** The address of another database on the same server. */
function withDatabase(address, database) {
  if (!('url' in address)) return { ...address, database };
  const url = new URL(address.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** Runs one statement on the server, outside of any test database, and answers its rows. */
async function onServer(address, sql) {
  const client = new pg.Client(clientOptions(address));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

module.exports = { clientOptions, onServer, withDatabase };
