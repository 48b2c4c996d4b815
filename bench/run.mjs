/**
 * `npm start [-- --seconds 5 --connections 64 --rounds 1 --only guarded --profile <directory>]`: requests per second, p50,
 * p99 and processor time a request of login, me, an empty guarded and an empty public route; beside each the same from a bare
 * `node:http` server that does only what cannot be left out, in the same run. Build first (`npm run build`); limits are off.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { startChild } from './child.mjs';
import { report, reportHead } from './report.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const product = await startChild('./server.mjs', { profileDir: values.profile });
const { address, appKey, issuer } = product;
const bare = await startChild('./bare.mjs', { input: { address, appKey, issuer } });
const authorised = { headers: { authorization: `Bearer ${product.token}` } };
const credentials = JSON.stringify({ login: product.person.email, password: product.person.password });
const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: credentials };

const ROUTES = [
  { name: 'public', request: {}, product: '/bench/public', bare: '/public' },
  { name: 'guarded', request: authorised, product: '/bench/guarded', bare: '/guarded' },
  { name: 'me', request: authorised, product: '/api/auth/me', bare: '/me' },
  { name: 'login', request: login, product: '/api/auth/local/login', bare: '/login' },
];

try {
  console.log(`${connections} connections, ${seconds} s each, best of ${values.rounds} rounds\n`);
  reportHead();
  for (const route of ROUTES.filter(({ name }) => values.only === undefined || name === values.only)) {
    const ours = { server: product, url: product.base + route.product, request: route.request, all: [] };
    const limit = { server: bare, url: bare.base + route.bare, request: route.request, all: [] };
    for (const side of [ours, limit]) await measure(side, 2);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const side of [ours, limit]) side.all.push(await measure(side, seconds));
    }
    report(route.name, best(ours.all), best(limit.all));
  }
} finally {
  await bare.stop();
  await product.stop();
}

async function measure({ server, url, request }, duration) {
  await settle(server);
  const before = await server.cpuMicros();
  const result = await autocannon({ url, connections, duration, ...request });
  const used = (await server.cpuMicros()) - before;
  if (result.errors + result.timeouts + result.non2xx > 0) {
    throw new Error(`${url}: ${result.errors} errors, ${result.timeouts} timeouts, ${result.non2xx} refusals`);
  }
  const { requests, latency } = result;
  return { perSecond: Math.round(requests.average), p50: latency.p50, p99: latency.p99, cpu: used / requests.total };
}

/** Waits until what an earlier run left behind is done: connections end before the work that they asked for does. */
async function settle(server) {
  for (let turn = 0, used = Infinity; turn < 100 && used > 20_000; turn += 1) {
    const before = await server.cpuMicros();
    await delay(200);
    used = (await server.cpuMicros()) - before;
  }
}

function best(results) {
  return results.toSorted((left, right) => right.perSecond - left.perSecond)[0];
}
