/**
 * `npm start [-- --seconds 5 --connections 64 --rounds 1 --only guarded --profile <directory>]`: measures requests per second, p50, p99 and
 * processor time per request of login, me, an empty guarded and an empty public route.
 * Each is compared with a bare `node:http` server that does only the unavoidable work, in the same run. Build first (`npm run build`); rate
 * limits are off.
 */
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { compare } from './compare.mjs';
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
    const ours = { server: product, options: { ...route.request, url: product.base + route.product } };
    const limit = { server: bare, options: { ...route.request, url: bare.base + route.bare } };
    report(route.name, ...(await compare([ours, limit], { connections, seconds, rounds: Number(values.rounds) })));
  }
} finally {
  await bare.stop();
  await product.stop();
}
