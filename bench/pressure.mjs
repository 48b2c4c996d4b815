/**
 * `npm run pressure [-- --seconds 6 --posts 10000 --only logins]`: reads a post by its id every 20 ms, first alone and then under load.
 * Loads: wrong logins, many connections, slow clients, heavy lists, schema changes of a table with writes, many new records, and an import.
 * Prints p50, p99 and the maximum in ms, and the ratio of p99 to that without load. Also prints the longest block of the service's event
 * loop in ms, because longer responses waited for a processor or the database. Then the processor use of service and database, and the work
 * done meanwhile. `--json <file>` writes all results.
 * Load generator, prober, service and database are separate processes on one machine. Build first (`npm run build`); rate limits are off.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { startChild } from './child.mjs';
import { DatabaseTime } from './database-time.mjs';
import { pgOptions } from './pg-options.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    posts: { type: 'string', default: '10000' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
/** Maximum p99 of a read, as a multiple of its p99 without load. */
const MOST = 3;
const BULK = 200;
const IMPORTED = 100_000;

const input = { resources: ['content.*', 'schema.*'], posts: Number(values.posts) };
const product = await startChild('./server.mjs', { input });
const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
const url = `${product.base}/api/content/posts/${product.ids[0]}`;
const client = new pg.Client(pgOptions(product.address));
await client.connect();
const databaseTime = new DatabaseTime(client);
const prober = await startChild('./prober.mjs', { input: { url, headers } });

const PRESSURES = {
  logins: { name: '64 wrong logins at once', press: wrongLogins },
  connections: { name: '500 connections, 1,000 reads a second', press: manyConnections },
  slow: { name: '200 clients that send and read slowly', press: slowClients },
  lists: { name: '8 heavy lists at once', press: heavyLists },
  schema: { name: 'changes of the schema of a table that is written', press: schemaChanges },
  records: { name: `new records, ${BULK} a request`, press: newRecords },
  import: { name: `an import of ${IMPORTED} records`, press: importOfRecords },
};

try {
  await during(() => delay(2_000));
  const alone = await during(() => delay(seconds * 1_000));
  const idle = at(alone.times, 0.99);
  const rows = [report('alone', alone, idle)];
  for (const [key, { name, press }] of Object.entries(PRESSURES)) {
    if (values.only !== undefined && values.only !== key) continue;
    rows.push(report(name, await during(press), idle));
    await delay(1_000);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
} finally {
  await prober.stop();
  await client.end();
  await product.stop();
}

/**
 * Runs work during reads. Returns its result, the sorted read times in ms, the longest block of the event loop, and the processor use of
 * service and database.
 */
async function during(work) {
  await product.ask('watch');
  await prober.ask('begin');
  const [began, service, database] = [performance.now(), await product.cpuMicros(), await databaseTime.micros()];
  const result = await work().finally(() => delay(100));
  const micros = (performance.now() - began) * 1_000;
  const busy = {
    service: ((await product.cpuMicros()) - service) / micros,
    database: ((await databaseTime.micros()) - database) / micros,
  };
  return { result, busy, times: await prober.ask('end'), stretch: await product.ask('longest') };
}

async function wrongLogins() {
  const body = JSON.stringify({ login: product.person.email, password: 'not the one' });
  const result = await cannon({ path: '/api/auth/local/login', method: 'POST', connections: 64, body });
  const busy = result.statusCodeStats?.['503']?.count ?? 0;
  return `${Math.round(result.requests.average)} a second answered, ${busy} rejected as busy`;
}

async function manyConnections() {
  const result = await cannon({ path: new URL(url).pathname, connections: 500, overallRate: 1_000 });
  return `${Math.round(result.requests.average)} a second, p99 ${result.latency.p99} ms`;
}

/** Opens slow clients: half of them send a body byte by byte, the other half read a long response slowly. */
async function slowClients() {
  const sockets = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? slowSender() : slowReader()));
  await delay(seconds * 1_000);
  const open = sockets.filter(({ readyState }) => readyState !== 'closed').length;
  for (const socket of sockets) socket.destroy();
  return `${open} of them were open to the end`;
}

function slowSender() {
  const socket = opened();
  socket.write(
    `POST /api/content/posts HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${product.token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  );
  const timer = setInterval(() => socket.writable && socket.write(' '), 100);
  socket.once('close', () => clearInterval(timer));
  return socket.resume();
}

function slowReader() {
  const socket = opened();
  socket.write(
    `GET /api/content/posts?limit=100&count=none HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${product.token}\r\n\r\n`,
  );
  const timer = setInterval(() => socket.read(64), 100);
  socket.once('close', () => clearInterval(timer));
  return socket.pause();
}

function opened() {
  const { hostname, port } = new URL(product.base);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Lists a hundred posts with their relations and exact total, in an order without an index. */
async function heavyLists() {
  const select = 'id,title,body,views,author.*,category.*,tags.*';
  const query = new URLSearchParams({
    select,
    sort: 'views',
    limit: '100',
    count: 'exact',
    filter: '{"views":{"$gte":1}}',
  });
  const result = await cannon({ path: `/api/content/posts?${query}`, connections: 8 });
  return `${result.requests.average.toFixed(1)} a second, p50 ${result.latency.p50} ms`;
}

/** Adds and removes a field of posts repeatedly, while posts are changed on 8 connections. */
async function schemaChanges() {
  const definition = await schemaOfPosts();
  const path = `/api/content/posts/${product.ids[1]}`;
  const writes = cannon({ path, method: 'PATCH', connections: 8, body: '{"views":7}' });
  const end = performance.now() + seconds * 1_000;
  let changes = 0;
  for (; performance.now() < end; changes += 1) {
    const extra = { name: `extra${changes % 2}`, type: 'string', optional: true };
    await send('PUT', `/api/schema/${definition.name}?allow_data_loss=true`, {
      ...definition,
      fields: [...definition.fields, extra],
    });
  }
  await send('PUT', `/api/schema/${definition.name}?allow_data_loss=true`, definition);
  const { requests, non2xx, statusCodeStats } = await writes;
  const refused = non2xx === 0 ? 'none refused' : `refused: ${JSON.stringify(statusCodeStats)}`;
  return `${changes} changes, ${Math.round(requests.average)} writes a second, ${refused}`;
}

async function schemaOfPosts() {
  const { data } = await send('GET', '/api/schema/post');
  return data.definition ?? data;
}

async function newRecords() {
  const end = performance.now() + seconds * 1_000;
  let records = 0;
  const author = product.some?.author;
  const stream = async () => {
    while (performance.now() < end) {
      const posts = Array.from({ length: BULK }, () => {
        return { title: 'A new post', slug: randomUUID(), body: 'Some words of a post. '.repeat(20), author };
      });
      await send('POST', '/api/content/posts', posts);
      records += BULK;
    }
  };
  await Promise.all([stream(), stream()]);
  return `${Math.round(records / seconds)} records a second`;
}

async function importOfRecords() {
  const rows = Array.from({ length: IMPORTED }, () => `tag ${randomUUID()}`);
  const began = performance.now();
  const response = await fetch(`${product.base}/api/content/tags/import?format=csv`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: `name\n${rows.join('\n')}\n`,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`import: ${response.status} ${text.slice(0, 300)}`);
  return `${Math.round(IMPORTED / ((performance.now() - began) / 1_000))} records a second`;
}

async function send(method, path, json) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(product.base + path, { method, headers, ...body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

function cannon({ path, ...options }) {
  return autocannon({ url: product.base + path, duration: seconds, headers, ...options });
}

function report(name, { times, result, stretch, busy }, idle) {
  const [p50, p99, longest] = [at(times, 0.5), at(times, 0.99), at(times, 1)];
  const ratio = p99 / idle;
  const cells = [p50, p99, longest].map((ms) => ms.toFixed(1).padStart(9)).join('');
  const note = typeof result === 'string' ? `   ${result}` : '';
  const used = [busy.service, busy.database].map((share) => `${Math.round(100 * share)} %`.padStart(7)).join('');
  const factor = `${ratio.toFixed(1).padStart(7)} x${ratio > MOST ? ' !' : '  '}`;
  console.log(`${name.padEnd(50)}${cells}${factor}${stretch.toFixed(1).padStart(9)}${used}${note}`);
  return { name, p50, p99, longest, ratio, stretch, busy, output: result ?? null };
}

function at(times, share) {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))];
}
