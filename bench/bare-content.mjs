/**
 * Baseline for content: `node:http` and `pg` run exactly the statements of the product. No token, no permissions, no parameter parsing.
 * `/<name>` runs the captured statements of a request in sequence on one connection; `/<name>/<id>` uses another id and new text.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { readInput, serveUntilAsked } from './child.mjs';
import { pgOptions } from './pg-options.mjs';

const { address, captured, poolSize } = readInput();
const pool = new pg.Pool({
  ...pgOptions(address),
  max: poolSize,
});
let words = 0;

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () =>
  serveUntilAsked({ base: `http://127.0.0.1:${server.address().port}` }, async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
  }),
);

async function answer(request, response) {
  // The product also has to read the body.
  for await (const _chunk of request);
  let status = 200;
  let body;
  try {
    const [, name, id] = decodeURIComponent(request.url).split('/');
    const rows = await run(name, id);
    body = `{"data":${rows.item ?? rows.items}}`;
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

/** Returns the row with the response. A failed statement leaves its connection unusable; this is not handled here. */
async function run(name, id) {
  const { statements, id: oldId, word } = captured[name];
  const other =
    id === undefined
      ? undefined
      : new Map([
          [oldId, id === 'new' ? randomUUID() : id],
          [word, nextWord()],
        ]);
  const prepared = statements.map(({ text, parameters }, index) => ({
    ...(parameters.length > 0 ? { name: `${name}-${index}` } : {}),
    text,
    values: other === undefined ? parameters : parameters.map((value) => replaced(value, other)),
  }));
  if (prepared.length === 1) return (await pool.query(prepared[0])).rows[0];
  const client = await pool.connect();
  try {
    let found;
    for (const statement of prepared) {
      const [row] = (await client.query(statement)).rows;
      if (row !== undefined && 'item' in row) found = row;
    }
    return found;
  } finally {
    client.release();
  }
}

function nextWord() {
  words += 1;
  return `bare-${words}`;
}

function replaced(value, other) {
  if (Array.isArray(value)) return value.map((entry) => replaced(entry, other));
  if (typeof value !== 'string') return value;
  let text = value;
  for (const [from, to] of other) text = text.replaceAll(from, to);
  return text;
}
