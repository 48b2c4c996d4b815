/**
 * The limit of content: `node:http` and `pg`, with the very statement that the product sends and nothing around it: no token,
 * no permissions, no parameters to parse. `/<number>` runs a statement as it is; `/<number>/<id>` with another id.
 */
import { createServer } from 'node:http';
import pg from 'pg';
import { readInput, serveUntilAsked } from './child.mjs';

const { address, statements, id: capturedId, poolSize } = readInput();
const pool = new pg.Pool({
  ...('url' in address ? { connectionString: address.url } : { ...address, user: address.username }),
  max: poolSize,
});

const server = createServer((request, response) => void answer(request.url, response));
server.listen(0, '127.0.0.1', () =>
  serveUntilAsked({ base: `http://127.0.0.1:${server.address().port}` }, async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
  }),
);

async function answer(url, response) {
  let status = 200;
  let body;
  try {
    const [, index, id = capturedId] = url.split('/');
    const { text, parameters } = statements[index];
    const values = parameters.map((value) => (value === capturedId ? id : value));
    const { rows } = await pool.query({ name: `statement-${index}`, text, values });
    body = `{"data":${rows[0].item ?? rows[0].items}}`;
  } catch (error) {
    status = 500;
    body = JSON.stringify({ error: error.message });
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
