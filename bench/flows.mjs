/**
 * `npm run flows [-- --people 1000 --connections 32 --rounds 3 --profile <directory> --only refresh|otp --layers]`: compares refresh and
 * OTP verification with the bare database statement behind `node:http`, in the same run.
 * Each user refreshes and enters a code once per round; the requests of a connection run in sequence. Build first (`npm run build`); rate
 * limits are off.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { reportLayers } from './layers.mjs';
import { report, reportHead } from './report.mjs';

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
    profile: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    layers: { type: 'boolean', default: false },
  },
});
const [connections, rounds] = [Number(values.connections), Number(values.rounds)];
/** Codes work only once, so the warm-up needs a separate round of users. */
const people = Number(values.people) * (rounds + (values.layers ? 2 : 1));
const env = { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_OTP_ENABLED: 'true' };

const product = await startChild('./server.mjs', { profileDir: values.profile, input: { env, people } });
const { address, appKey, issuer } = product;
const bare = await startChild('./bare.mjs', { input: { address, appKey, issuer, people } });
const FLOWS = [
  {
    name: 'refresh',
    product: '/api/auth/token/refresh',
    bare: '/refresh',
    body: ({ refresh_token }) => ({ refresh_token }),
  },
  { name: 'otp', product: '/api/auth/otp/verify', bare: '/otp', body: ({ email, code }) => ({ email, code }) },
];

try {
  console.log(`${connections} connections, ${values.people} requests, best of ${rounds} rounds\n`);
  reportHead();
  for (const { name, body, ...paths } of FLOWS.filter(({ name: one }) => one === (values.only ?? one))) {
    const all = { product: [], bare: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const [side, server] of Object.entries({ product, bare })) {
        all[side].push(await measure(server, server.base + paths[side], share(server, round).map(body)));
      }
    }
    report(name, best(all.product), best(all.bare));
    if (values.layers) reportLayers(name, await layered(product, all.product), await layered(bare, all.bare));

    async function layered(server, results) {
      const side = server === product ? 'product' : 'bare';
      await server.ask('sample');
      await measure(server, server.base + paths[side], share(server, rounds + 1).map(body));
      return { ...best(results), layers: await server.ask('layers') };
    }
  }
} finally {
  await bare.stop();
  await product.stop();
}

function share(server, round) {
  const size = Number(values.people);
  return server.people.slice(round * size, (round + 1) * size);
}

async function measure(server, url, bodies) {
  await delay(500);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const left = [...bodies];
  const times = [];
  const before = await server.cpuMicros();
  const start = performance.now();
  const work = async () => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) {
      const began = performance.now();
      await post(agent, url, body);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - start) / 1_000;
  const cpu = ((await server.cpuMicros()) - before) / bodies.length;
  agent.destroy();
  times.sort((left, right) => left - right);
  const at = (part) => Number(times[Math.floor(times.length * part)].toFixed(1));
  return { perSecond: Math.round(bodies.length / seconds), p50: at(0.5), p99: at(0.99), cpu };
}

function post(agent, url, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} returned ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Returns the best round. The first one warms up and does not count. */
function best(results) {
  return results.slice(1).toSorted((left, right) => right.perSecond - left.perSecond)[0];
}
