/**
 * `npm run bare [-- --posts 10000 --seconds 5 --connections 64 --rounds 1 --only get,me --profile <directory> --json <file> --layers]`:
 * compares the product with `node:http` and `pg` with hand-written statements (`bare-blog.mjs`, `bare.mjs`).
 * Prints throughput, p99, and processor time per request of the service and PostgreSQL, all in one run. `--layers` shows where each side
 * spends its time. Linux only. Build first (`npm run build`); rate limits are off.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { fill, REQUESTS, varies } from './blog-requests.mjs';
import { startChild } from './child.mjs';
import { compare } from './compare.mjs';
import { DatabaseTime } from './database-time.mjs';
import { reportLayers } from './layers.mjs';
import { pgOptions } from './pg-options.mjs';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'string' },
    layers: { type: 'boolean', default: false },
  },
});
const LABELS = {
  get: 'a post by its id',
  list: '20 posts with category and tags',
  relation: '20 posts of a tag, with total',
  me: 'me',
  patch: 'a change of a post',
  create: 'a new post with three tags',
  login: 'a login with a password',
};
const NAMES = ['get', 'list', 'relation', 'me', 'patch', 'create', 'login'];
const names = NAMES.filter((name) => values.only?.split(',').includes(name) ?? true);

const product = await startChild('./server.mjs', {
  profileDir: values.profile,
  input: { resources: ['content.*'], posts: Number(values.posts), requests: {} },
});
const { address, poolSize, appKey, issuer, ids, some, person } = product;
const blog = await startChild('./bare-blog.mjs', {
  profileDir: values.profile && `${values.profile}/bare`,
  input: { address, poolSize },
});
const accounts = await startChild('./bare.mjs', { input: { address, appKey, issuer } });
const database = new pg.Client(pgOptions(address));
await database.connect();
const settings = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  databaseTime: new DatabaseTime(database),
  layers: values.layers,
};
const json = { 'content-type': 'application/json' };
const authorised = { authorization: `Bearer ${product.token}` };
const login = {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ login: person.email, password: person.password }),
};
const ACCOUNTS = {
  me: [
    { path: '/api/auth/me', headers: authorised },
    { path: '/me', headers: authorised },
  ],
  login: [
    { path: '/api/auth/local/login', ...login },
    { path: '/login', ...login },
  ],
};
let words = 0;

try {
  console.log(
    `${values.posts} posts, ${values.connections} connections, ${values.seconds} s each, Node ${process.versions.node}`,
  );
  row('', 'of bare', 'p99', 'req/s', 'bare', 'process µs', 'bare', 'database µs', 'bare');
  const rows = [];
  for (const name of names) {
    const [ours, bare] = await compare(sidesOf(name), settings);
    rows.push({ name: LABELS[name], ratio: ours.perSecond / bare.perSecond, ours, bare });
    const percent = `${Math.round((100 * ours.perSecond) / bare.perSecond)} %`;
    const times = `${(ours.p99 / Math.max(bare.p99, 1)).toFixed(1)} x`;
    const micros = [ours.cpu, bare.cpu, ours.database, bare.database].map((one) => one.toFixed(0));
    row(name, percent, times, ours.perSecond, bare.perSecond, ...micros);
    if (values.layers) reportLayers(name, ours, bare);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
} finally {
  await database.end();
  await accounts.stop();
  await blog.stop();
  await product.stop();
}

function sidesOf(name) {
  if (Object.hasOwn(ACCOUNTS, name)) {
    const [ours, bare] = ACCOUNTS[name].map(({ path, ...rest }) => ({ path, options: rest }));
    return [
      { server: product, options: { url: product.base + ours.path, ...ours.options } },
      { server: accounts, options: { url: accounts.base + bare.path, ...bare.options } },
    ];
  }
  const request = REQUESTS[name];
  const next = () => {
    words += 1;
    return fill(request, { ...some, id: ids[Math.floor(Math.random() * ids.length)], new: `bench-${words}` });
  };
  const ofBare = (filled) => ({
    ...filled,
    path: `/${name}${/\{id\}/.test(request.path) ? `/${filled.path.split('/').at(-1)}` : ''}`,
  });
  return [side(product, { ...authorised, ...json }, request, next), side(blog, json, request, () => ofBare(next()))];
}

function side(server, headers, request, next) {
  const another = { ...next(), setupRequest: (before) => ({ ...before, ...next() }) };
  return { server, options: { url: server.base, headers, requests: [varies(request) ? another : next()] } };
}

function row(name, ...cells) {
  console.log(name.padEnd(10) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
