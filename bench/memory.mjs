/**
 * `npm run memory [-- --requests 1000000 --every 100000 --connections 64]`: sends many reads, lists and changes of the blog example. Prints
 * RSS and used heap in MB after a garbage collection at intervals. Ends with a verdict, and with code 1 if the heap grew. Build first (`npm
 * run build`); rate limits are off.
 */
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { fill, REQUESTS } from './blog-requests.mjs';
import { startChild } from './child.mjs';

/** Used heap above both limits, from the second to the last measurement, is a leak. The relative limit is a share of the second one. */
const MOST_GROWTH_MB = 8;
const MOST_GROWTH = 0.1;
const MOST_FAILED = 0.01;
const MIX = ['get', 'list', 'get', 'patch', 'get', 'list', 'get', 'relation', 'get', 'list'];

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    every: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '64' },
    posts: { type: 'string', default: '5000' },
  },
});
const [all, every] = [Number(values.requests), Number(values.every)];
let words = 0;

const product = await startChild('./server.mjs', {
  execArgv: ['--expose-gc'],
  input: { resources: ['content.*'], posts: Number(values.posts) },
});
try {
  row('requests', 'req/s', 'RSS MB', 'heap MB');
  const heaps = [];
  for (let done = 0; done < all; done += every) {
    const perSecond = await load(every);
    const { rss, heapUsed } = await product.memory();
    heaps.push(heapUsed / 1_048_576);
    row(done + every, perSecond, (rss / 1_048_576).toFixed(1), heaps.at(-1).toFixed(1));
  }
  checkGrowth(heaps);
} finally {
  await product.stop();
}

async function load(amount) {
  const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
  const requests = MIX.map((name) => ({ setupRequest: (request) => ({ ...request, ...next(name) }) }));
  const start = performance.now();
  const { errors, timeouts, non2xx } = await autocannon({
    url: product.base,
    connections: Number(values.connections),
    amount,
    headers,
    requests,
  });
  const failed = errors + timeouts + non2xx;
  if (failed > amount * MOST_FAILED) throw new Error(`${errors} errors, ${timeouts} timeouts, ${non2xx} refusals`);
  return Math.round((amount * 1_000) / (performance.now() - start));
}

function next(name) {
  words += 1;
  const id = product.ids[Math.floor(Math.random() * product.ids.length)];
  return fill(REQUESTS[name], { id, new: `memory-${words}` });
}

/** Checks the heap growth. Caches are filled after the first round; from then on nothing may be added. */
function checkGrowth(heaps) {
  const [, from = heaps[0]] = heaps;
  const growth = heaps.at(-1) - from;
  const isFlat = growth < Math.max(MOST_GROWTH_MB, from * MOST_GROWTH);
  console.log(`\nmemory: ${isFlat ? 'flat' : 'grows'} (${growth.toFixed(1)} MB since the second measurement)`);
  if (!isFlat) process.exitCode = 1;
}

function row(...cells) {
  console.log(cells.map((cell) => String(cell).padStart(12)).join(''));
}
