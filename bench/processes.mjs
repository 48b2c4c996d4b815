/**
 * `npm run processes [-- --seconds 5 --connections 32 --rounds 3]`: measures the gain of `WORKERS` and `DATABASE_READ_URL`.
 * Three services use one PostgreSQL 15 server with a standby (`POSTGRES_BIN`): one process, two processes, and one that reads from the
 * standby. They get the same requests in turns; ratios are relative to the first.
 * `busy` is the share of the machine's processors in use. Everything runs on one machine: near 100 %, another process gains nothing. The
 * processor times then show the gain on a larger machine. Linux only. Build first (`npm run build`).
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { administratorOf, makeScratch, Postgres, Product, removeScratch, until } from '../.ci/support/servers.mjs';
import { childrenOf, readPid } from '../test/ha/processes.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
  },
});
const [seconds, connections, rounds] = [values.seconds, values.connections, values.rounds].map(Number);
/** `USER_HZ` of Linux is always a hundredth of a second. */
const TICK_MICROS = 10_000;
const AUTHORS = 50;
const NOTES = 5_000;

const scratch = makeScratch();
const servers = [];
const products = [];
try {
  const primary = await Postgres.create(scratch, 'primary', { wal_level: 'replica', max_connections: 120 });
  servers.push(primary);
  await primary.sql('CREATE DATABASE lintel');
  const standby = await primary.replicate('standby');
  servers.push(standby);
  const env = { DATABASE_URL: primary.url('lintel'), LOG_LEVEL: 'info', APP_URL: 'http://lintel.test' };
  const start = async (name, more = {}) => {
    const product = await Product.start(scratch, name, { ...env, ...more });
    products.push(product);
    return product;
  };
  const one = await start('one');
  const token = await administratorOf(one);
  await fill(one, token);
  const two = await start('two', { WORKERS: '2' });
  await until(() => /"worker":2,"pid"/.test(two.stdout), 'the second worker');
  const reading = await start('reading', { DATABASE_READ_URL: standby.url('lintel') });
  await until(() => /The replica is asked/.test(reading.stdout), 'the replica');

  const [first] = (await ask(one, 'GET', '/api/content/notes?limit=1', token)).data.items;
  const list = `/api/content/notes?limit=20&count=exact&sort=-rank&select=id,title,rank,author.name&filter=${encodeURIComponent(JSON.stringify({ rank: { $lt: 4_000 }, 'author.name': { $contains: '1' } }))}`;
  const requests = {
    'one by its id': { path: `/api/content/notes/${first.id}` },
    'a list': { path: list },
    'a new one': { path: '/api/content/notes', method: 'POST', body: JSON.stringify({ title: 'x', rank: 1 }) },
  };
  console.log(`${cpus().length} processors, ${connections} connections, ${seconds} s each, best of ${rounds} rounds\n`);
  row('', '', 'req/s', 'p50 ms', 'p99 ms', 'service µs', 'primary µs', 'standby µs', 'busy', 'ratio');
  const sides = { 'one process': one, 'two workers': two, 'a replica': reading };
  for (const [name, request] of Object.entries(requests)) {
    const results = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
    for (let round = 0; round <= rounds; round += 1)
      for (const [side, product] of Object.entries(sides)) {
        const result = await measure(product, token, request, round === 0 ? 2 : seconds);
        // The first round warms up.
        if (round > 0) results[side].push(result);
      }
    let basis;
    for (const [side, all] of Object.entries(results)) {
      const best = all.toSorted((left, right) => right.perSecond - left.perSecond)[0];
      basis ??= best;
      const micros = [best.service, best.primary, best.standby].map((used) => used.toFixed(0));
      const ratio = `${Math.round((100 * best.perSecond) / basis.perSecond)} %`;
      row(best === basis ? name : '', side, best.perSecond, best.p50, best.p99, ...micros, `${best.busy} %`, ratio);
    }
  }
} finally {
  await Promise.all(products.map((product) => product.stop()));
  for (const server of servers) server.stop();
  removeScratch(scratch);
}

async function fill(product, token) {
  const text = (name) => ({ type: 'string', name });
  const relation = (schema, field, type, more = {}) => ({ schema, field, type, ...more });
  await ask(product, 'POST', '/api/schema', token, {
    schemas: [
      {
        name: 'author',
        namespace: 'authors',
        label_field: 'name',
        fields: [
          text('name'),
          {
            type: 'relation',
            name: 'notes',
            optional: true,
            relation: relation('note', 'author', 'o2m', { owner: true }),
          },
        ],
      },
      {
        name: 'note',
        namespace: 'notes',
        label_field: 'title',
        fields: [
          text('title'),
          { type: 'int', name: 'rank', default: 0 },
          { type: 'relation', name: 'author', optional: true, relation: relation('author', 'notes', 'm2o') },
        ],
      },
    ],
  });
  const authors = Array.from({ length: AUTHORS }, (_, at) => ({ name: `author ${at}` }));
  const { data } = await ask(product, 'POST', '/api/content/authors', token, authors);
  for (let at = 0; at < NOTES; at += 100) {
    const notes = Array.from({ length: 100 }, (_, more) => {
      const number = at + more;
      return { title: `note ${number}`, rank: number, author: { id: data[number % AUTHORS].id } };
    });
    await ask(product, 'POST', '/api/content/notes', token, notes);
  }
}

async function ask(product, method, path, token, body) {
  const answer = await product.ask(method, path, body, token);
  if (answer.status === 0 || answer.status >= 300)
    throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function measure(product, token, { path, method = 'GET', body }, duration) {
  await delay(500);
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const url = `http://127.0.0.1:${product.port}${path}`;
  const [before, machine] = [usedBy(product), busyTicks()];
  const result = await autocannon({ url, method, body, headers, connections, duration });
  const [after, then] = [usedBy(product), busyTicks()];
  if (result.errors + result.timeouts + result.non2xx > 0)
    throw new Error(`${path}: ${result.errors} errors, ${result.timeouts} timeouts, ${result.non2xx} refusals`);
  const { requests, latency } = result;
  const each = (part) => (after[part] - before[part]) / requests.total;
  return {
    perSecond: Math.round(requests.average),
    p50: latency.p50,
    p99: latency.p99,
    service: each('service'),
    primary: each('primary'),
    standby: each('standby'),
    busy: Math.round((100 * (then.busy - machine.busy)) / (then.all - machine.all)),
  };
}

function usedBy(product) {
  const postmaster = (name) => readPid(join(scratch, name, 'postmaster.pid'));
  return {
    service: micros(product.pid),
    primary: micros(postmaster('primary')),
    standby: micros(postmaster('standby')),
  };
}

/** Returns the processor time of a process and its descendants, in µs, including ended children that were waited for. */
function micros(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MICROS;
  return childrenOf(pid).reduce((sum, child) => sum + micros(child), own);
}

function busyTicks() {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, one) => sum + one, 0);
  return { all, busy: all - ticks[3] - ticks[4] };
}

function row(name, side, ...cells) {
  console.log(name.padEnd(14) + side.padEnd(13) + cells.map((cell) => String(cell).padStart(11)).join(''));
}
