/**
 * `npm run schema [-- --sizes 50,125,250,500]`: creates that many schemas with 30 fields and two relations in one request, and then one
 * more, five times (median). Times are in ms.
 * - `check+link`: processor time before the database (`prepareChange`).
 * - `plan`: a request that changes nothing.
 * - `apply`: the change.
 * - `CPU`: processor time of the service.
 * - probes: times of other requests at a steady pace meanwhile.
 * - document: the OpenAPI document, with the longest block of the event loop.
 * - curve: the cost of one more schema at each size, relative to the smallest size.
 * Build first (`npm run build`).
 */
import { parseArgs } from 'node:util';
import { initialSnapshot, prepareChange } from '../dist/src/data/schema/change/prepare-change.js';
import { declaredSystemSchemas } from '../dist/src/kernel/system-schema.js';
import '../dist/src/app.module.js';
import { startChild } from './child.mjs';
import { manySchemas, oneMore } from './many-schemas.mjs';
import { probeDuring } from './probe.mjs';

const ROUNDS = 5;
const { values } = parseArgs({ options: { sizes: { type: 'string', default: '50,125,250,500' } } });

row('schemas', 'change', ['check+link', 'plan', 'apply', 'CPU', 'probes', 'p50', 'p99', 'longest']);
const curve = [];
for (const size of values.sizes.split(',').map(Number)) {
  const cpu = pure(size);
  const { all, more, document } = await served(size);
  report(size, 'all', cpu.all, all);
  report('', 'one more', cpu.more, more);
  console.log(
    `${' '.repeat(11)}document: ${document.took.toFixed(0)} ms, at most ${document.longest.toFixed(1)} ms at a stretch`,
  );
  curve.push({ size, costs: [cpu.more, more.plan, more.apply, more.cpu] });
}
for (const { size, costs } of curve) {
  row(
    size,
    'curve',
    costs.map((cost, index) => `x${(cost / curve[0].costs[index]).toFixed(1)}`),
  );
}

/** Returns the processor times of the pure stages: for all schemas, and for one more. */
function pure(size) {
  const put = [{ json: manySchemas(size) }];
  const all = Array.from({ length: ROUNDS }, () =>
    timed(() => prepareChange(initialSnapshot(declaredSystemSchemas()), { put })),
  );
  let { snapshot } = all[0].result;
  const more = Array.from({ length: ROUNDS }, (_, round) => {
    const change = { put: [{ json: oneMore(round) }], backRefs: 'create' };
    const one = timed(() => prepareChange(snapshot, change));
    ({ snapshot } = one.result);
    return one;
  });
  return { all: median(all.map(({ cpu }) => cpu)), more: median(more.map(({ cpu }) => cpu)) };
}

function timed(work) {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  if (!result.ok) throw new Error(JSON.stringify(result.faults.slice(0, 3)));
  return { result, cpu: (user + system) / 1_000 };
}

async function served(size) {
  const product = await startChild('./server.mjs', { input: { resources: ['schema.*', 'content.*'] } });
  const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
  const send = async (path, json, expected) => {
    const response = await fetch(product.base + path, { method: 'POST', headers, body: JSON.stringify(json) });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  };
  const change = async (path, json, probed) => {
    const start = performance.now();
    await send(path.replace('schema', 'schema/plan'), json, 200);
    const plan = performance.now() - start;
    const before = await product.cpuMicros();
    const url = `${product.base}/api/content/${probed}?limit=1`;
    const { took: apply, times } = await probeDuring(url, headers, () => send(path, json, 201));
    return { plan, apply, times, cpu: ((await product.cpuMicros()) - before) / 1_000 };
  };
  try {
    const all = await change('/api/schema', manySchemas(size), 'roles');
    const more = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      more.push(await change('/api/schema?back_refs=create', oneMore(round), `s${round}`));
    }
    await product.ask('watch');
    const began = performance.now();
    await (await fetch(`${product.base}/api/openapi.json`, { headers })).text();
    const document = { took: performance.now() - began, longest: await product.ask('longest') };
    return { all: summary([all]), more: summary(more), document };
  } finally {
    await product.stop();
  }
}

function summary(changes) {
  const [plan, apply, cpu] = ['plan', 'apply', 'cpu'].map((name) => median(changes.map((change) => change[name])));
  const times = changes.flatMap((change) => change.times).toSorted((left, right) => left - right);
  return { plan, apply, cpu, times };
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)];
}

function report(size, change, checkAndLink, { plan, apply, cpu, times }) {
  const shares = [0.5, 0.99, 1].map((share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]);
  const [before, after] = [[checkAndLink, plan, apply, cpu], shares].map((list) => list.map((ms) => ms.toFixed(1)));
  row(size, change, [...before, times.length, ...after]);
}

function row(size, change, cells) {
  console.log(String(size).padStart(7) + change.padStart(10) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
