/**
 * `npm run content [-- --posts 5000 --seconds 5 --connections 64 --rounds 1 --only get,list --profile <directory>]`: measures the blog
 * example.
 * - get: a post by its id.
 * - list: 20 posts with category, tags and a filter, without and with the total.
 * - relation: a list by tag and category, with the total.
 * - create: a post with an author, a category and three tags.
 * - patch: a change of a post.
 * Each is compared with a bare `node:http` server that runs the same statements, and with pgbench, in the same run. Build first (`npm run
 * build`); rate limits are off.
 */
import { parseArgs } from 'node:util';
import { fill, REQUESTS, varies } from './blog-requests.mjs';
import { startChild } from './child.mjs';
import { compare } from './compare.mjs';
import { hasPgbench, runPgbench } from './pgbench.mjs';
import { report, reportHead } from './report.mjs';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const settings = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
};
const only = values.only?.split(',');
const requests = Object.fromEntries(Object.entries(REQUESTS).filter(([name]) => only?.includes(name) ?? true));

const product = await startChild('./server.mjs', {
  profileDir: values.profile,
  input: { resources: ['content.*'], posts: Number(values.posts), requests },
});
const { address, poolSize, captured, ids, some } = product;
const bare = await startChild('./bare-content.mjs', {
  profileDir: values.profile && `${values.profile}/bare`,
  input: { address, poolSize, captured },
});
const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
let words = 0;

try {
  console.log(`${values.posts} posts, ${values.connections} connections, ${values.seconds} s each`);
  console.log(
    hasPgbench() ? `pgbench with ${poolSize}, as many as the pool has\n` : 'pgbench is not installed, skipped\n',
  );
  reportHead();
  for (const [name, request] of Object.entries(requests)) {
    const results = await compare([ours(request), limit(name, request)], settings);
    report(name, ...results, hasPgbench() ? await pgbench(name) : undefined);
  }
} finally {
  await bare.stop();
  await product.stop();
}

function ours(request) {
  return side(product, headers, request, () => fill(request, { ...some, id: anyId(), new: nextWord() }));
}

/** Returns the bare server with the same request, including a body of the same size. */
function limit(name, request) {
  return side(bare, {}, request, () => {
    const id = name === 'create' ? '/new' : varies(request) ? `/${anyId()}` : '';
    return { ...fill(request, { ...some, new: 'a-word' }), path: `/${encodeURIComponent(name)}${id}` };
  });
}

function side(server, extra, request, next) {
  const another = { ...next(), setupRequest: (before) => ({ ...before, ...next() }) };
  return { server, options: { url: server.base, headers: extra, requests: [varies(request) ? another : next()] } };
}

function pgbench(name) {
  const { connections: _, ...rest } = settings;
  const isNew = name === 'create';
  return runPgbench({ ...rest, captured: { ...captured[name], isNew }, ids, address, connections: poolSize });
}

function anyId() {
  return ids[Math.floor(Math.random() * ids.length)];
}

function nextWord() {
  words += 1;
  return `bench-${words}`;
}
