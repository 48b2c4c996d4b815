/**
 * `npm run flood [-- --seconds 10 --wrong 64]`: probes GET /api/auth/methods in sequence, first alone, then during wrong logins on many
 * connections. Prints p50, p99 and the maximum for both, in ms.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { startChild } from './child.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, wrong: { type: 'string', default: '64' } },
});
const seconds = Number(values.seconds);
const PROBE_EVERY_MS = 10;

const product = await startChild('./server.mjs');
try {
  await probe(1);
  report('alone', await probe(seconds));
  const flood = autocannon({
    url: `${product.base}/api/auth/local/login`,
    connections: Number(values.wrong),
    duration: seconds + 2,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: product.person.email, password: 'not the one' }),
  });
  await delay(1_000);
  report(`beside ${values.wrong} wrong logins`, await probe(seconds));
  const result = await flood;
  const busy = result.statusCodeStats?.['503']?.count ?? 0;
  console.log(
    `\nlogins: ${Math.round(result.requests.average)} a second, p50 ${result.latency.p50} ms; ${busy} rejected as busy`,
  );
} finally {
  await product.stop();
}

async function probe(forSeconds) {
  const times = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    const start = performance.now();
    const response = await fetch(`${product.base}/api/auth/methods`);
    await response.arrayBuffer();
    times.push(performance.now() - start);
    if (response.status !== 200) throw new Error(`methods returned ${response.status}`);
    await delay(PROBE_EVERY_MS);
  }
  return times.toSorted((left, right) => left - right);
}

function report(name, times) {
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1).padStart(8);
  console.log(`${name.padEnd(26)} p50${at(0.5)}   p99${at(0.99)}   longest${at(1)}   (${times.length} probes)`);
}
