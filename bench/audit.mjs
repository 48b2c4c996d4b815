/**
 * `npm run audit [-- --requests 100 --rounds 25 --clients 8,64]`: the cost of the audit log for whole requests. One process of the product
 * has two schemas that differ only in `"audit": true`. Requests alternate between them, and the order changes each round.
 * Measured is the processor time of the service and of all PostgreSQL processes; `sealed` also includes sealing the events. Ratios are
 * medians of the rounds, with quartiles. Linux only. Build first (`npm run build`).
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startChild } from './child.mjs';
import { DatabaseTime } from './database-time.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '25' },
    clients: { type: 'string', default: '8,64' },
  },
});
const [requests, rounds] = [Number(values.requests), Number(values.rounds)];
const KEPT = 500;

const product = await startChild('./server.mjs', { input: { resources: ['content.*', 'schema.*'] } });
const database = new pg.Client({ connectionString: product.address.url });
const databaseTime = new DatabaseTime(database);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };

const KINDS = {
  create: { method: 'POST', path: () => '', body: () => ({ title: 'A title of some length', views: 3 }) },
  update: { method: 'PATCH', path: (ids, at) => `/${ids[at % ids.length]}`, body: (at) => ({ views: at }) },
  delete: { method: 'DELETE', path: (ids, at) => `/${ids[at]}`, isSpent: true },
};

try {
  await database.connect();
  await send('POST', '/api/schema', { schemas: [definition('plain'), definition('noted', { audit: true })] });
  const kept = { plain: await records('plain', KEPT), noted: await records('noted', KEPT) };
  row('', 'clients', 'plain µs', 'audited µs', 'service', 'database', 'ratio', 'quartiles', 'sealed');
  for (const clients of values.clients.split(',').map(Number))
    for (const [name, kind] of Object.entries(KINDS)) {
      const results = [];
      for (let round = 0; round <= rounds; round += 1) {
        const order = round % 2 === 0 ? ['plain', 'noted'] : ['noted', 'plain'];
        const turn = {};
        for (const schema of order) turn[schema] = await measure(kind, schema, clients, kept[schema]);
        // The first round warms up.
        if (round > 0) results.push(turn);
      }
      report(name, clients, results);
    }
} finally {
  await database.end();
  agent.destroy();
  await product.stop();
}

function definition(name, more = {}) {
  const fields = [
    { type: 'string', name: 'title' },
    { type: 'int', name: 'views', default: 0 },
  ];
  return { name, namespace: `${name}s`, label_field: 'title', fields, ...more };
}

async function records(schema, count) {
  const ids = [];
  for (let at = 0; at < count; at += 1)
    ids.push((await send('POST', `/api/content/${schema}`, { title: `kept ${at}` })).data.id);
  return ids;
}

/** Returns the processor time per request in µs: of the service, of the database, and of both including later sealing. */
async function measure({ method, path, body, isSpent }, schema, clients, kept) {
  const ids = isSpent ? await records(schema, requests) : kept;
  await product.ask('seal');
  await delay(100);
  const before = await used();
  let next = 0;
  const work = async () => {
    for (let at = next++; at < requests; at = next++)
      await send(method, `/api/content/${schema}${path(ids, at)}`, body?.(at));
  };
  await Promise.all(Array.from({ length: clients }, work));
  const after = await used();
  await product.ask('seal');
  const sealed = await used();
  const service = (after.service - before.service) / requests;
  const server = (after.server - before.server) / requests;
  return { service, server, whole: service + server, sealed: total(sealed, before) / requests };
}

function total(after, before) {
  return after.service + after.server - before.service - before.server;
}

async function used() {
  return { service: await product.cpuMicros(), server: await databaseTime.micros() };
}

function report(name, clients, results) {
  const of = (read) => quartiles(results.map(read));
  const micros = (read) => of(read)[1].toFixed(0);
  const more = (part) => {
    const middle = Math.round(of(({ plain, noted }) => noted[part] - plain[part])[1]);
    return middle < 0 ? String(middle) : `+${middle}`;
  };
  const [low, ratio, high] = of(({ plain, noted }) => noted.whole / plain.whole);
  const [, sealed] = of(({ plain, noted }) => noted.sealed / plain.sealed);
  row(
    name,
    clients,
    micros(({ plain }) => plain.whole),
    micros(({ noted }) => noted.whole),
    more('service'),
    more('server'),
    ratio.toFixed(3),
    `${low.toFixed(2)}-${high.toFixed(2)}`,
    sealed.toFixed(3),
  );
}

function quartiles(given) {
  const sorted = given.toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.round((sorted.length - 1) * part)]);
}

function row(name, ...cells) {
  console.log(name.padEnd(8) + cells.map((cell) => String(cell).padStart(12)).join(''));
}

function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      product.base + path,
      { agent, method, headers: body === undefined ? { authorization: headers.authorization } : headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => (text += part));
        response.once('end', () => {
          if (response.statusCode < 300) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path} returned ${response.statusCode}: ${text}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
