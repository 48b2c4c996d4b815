/**
 * `npm run schema [-- --sizes 50,100,200,500]`: so many schemas of 30 fields and two relations each. `check+link` is the
 * processor time of everything before the database (`prepareChange`), `apply` one request with all of them, `CPU` what the
 * service itself used for it; `more` the same for one schema that is added to them, of which `plan` changes nothing. Then
 * the answers to requests at a steady pace during both changes. Build first (`npm run build`).
 */
import { parseArgs } from 'node:util';
import { initialSnapshot, prepareChange } from '../dist/src/schema/change/prepare-change.js';
import { startChild } from './child.mjs';
import { manySchemas, oneMore } from './many-schemas.mjs';
import { probeDuring } from './probe.mjs';

const ROUNDS = 5;
const { values } = parseArgs({ options: { sizes: { type: 'string', default: '50,100,200,500' } } });

const HEAD = ['schemas', 'check+link', 'apply', 'CPU', 'more: check+link', 'plan', 'apply', 'CPU', 'probes p50', 'p99'];
row([...HEAD, 'longest', 'more: p50', 'p99', 'longest']);
for (const size of values.sizes.split(',').map(Number)) {
  const { all, more } = pure(size);
  const api = await served(size);
  const cells = [all, ...api.all, more, ...api.more, ...shares(api.allTimes), ...shares(api.moreTimes)];
  row([size, ...cells.map((ms) => ms.toFixed(ms < 100 ? 1 : 0))]);
}
console.log('\nall in ms');

/** Processor time of the pure stages, the best of some rounds, for all schemas and for one more. */
function pure(size) {
  const [put, one] = [[{ json: manySchemas(size) }], [{ json: oneMore() }]];
  const rounds = Array.from({ length: ROUNDS }, () => {
    const all = timed(() => prepareChange(initialSnapshot(), { put }));
    const more = timed(() => prepareChange(all.result.snapshot, { put: one, backRefs: 'create' }));
    return { all: all.cpu, more: more.cpu };
  });
  const best = (name) => Math.min(...rounds.map((round) => round[name]));
  return { all: best('all'), more: best('more') };
}

function timed(work) {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  if (!result.ok) throw new Error(JSON.stringify(result.faults.slice(0, 3)));
  return { result, cpu: (user + system) / 1_000 };
}

/** The same over the API of a service with an empty database. */
async function served(size) {
  const product = await startChild('./server.mjs', { input: { resources: ['schema.*', 'content.*'] } });
  const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
  const send = async (path, json, expected) => {
    const response = await fetch(product.base + path, { method: 'POST', headers, body: JSON.stringify(json) });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  };
  const change = async (path, json, probed) => {
    const url = `${product.base}/api/content/${probed}?limit=1`;
    const before = await product.cpuMicros();
    const { took, times } = await probeDuring(url, headers, () => send(path, json, 201));
    return { took, times, cpu: ((await product.cpuMicros()) - before) / 1_000 };
  };
  try {
    const all = await change('/api/schema', manySchemas(size), 'roles');
    const start = performance.now();
    await send('/api/schema/plan?back_refs=create', oneMore(), 200);
    const plan = performance.now() - start;
    const more = await change('/api/schema?back_refs=create', oneMore(), 's0');
    const cells = { all: [all.took, all.cpu], more: [plan, more.took, more.cpu] };
    return { ...cells, allTimes: all.times, moreTimes: more.times };
  } finally {
    await product.stop();
  }
}

function shares(times) {
  return [0.5, 0.99, 1].map((share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]);
}

function row(cells) {
  console.log(
    cells.map((cell, index) => String(cell).padStart(index === 0 ? 7 : HEAD[index]?.length + 2 || 11)).join(''),
  );
}
