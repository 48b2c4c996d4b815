/**
 * `npm run import [-- --rows 1000000 --heap 320]`: runs a background CSV import of records with 20 columns twice: alone, and during reads
 * of a record every 20 ms.
 * Prints per phase (send and stage, check, write):
 * - the duration;
 * - the maximum resident memory in MB, with an old generation limited to `--heap` MB, because V8 uses all it may;
 * - the processor use, and the longest block of the event loop in ms.
 * Also prints the longest time without reported progress in ms, and read times compared with an idle service before and after, with the
 * ratio of their p99. `--json <file>` writes all results.
 * Uses the embedded database or DATABASE_URL (an empty one); everything shares the machine. Linux only. Build first (`npm run build`).
 */
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    heap: { type: 'string', default: '320' },
    json: { type: 'string' },
  },
});
const ROWS = Number(values.rows);
const POLL_MS = 100;
const QUIET_MS = 10_000;
const LINES = 500;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const COLUMNS = [
  ['string', 'code', (n) => `code-${n}`],
  ['string', 'name', (n) => `Name of the record ${n}`],
  ['string', 'city', (n) => ['Berlin', 'Lyon', 'Porto', 'Oslo'][n % 4]],
  ['string', 'street', (n) => `Street ${n % 977} of the town`],
  ['string', 'email', (n) => `person.${n}@example.com`],
  ['text', 'note', (n) => `"A note, with a comma, of record ${n}: ${LETTERS}"`],
  ['text', 'about', (n) => `${LETTERS} ${n} ${LETTERS}`],
  ['int', 'views', (n) => n % 1_000],
  ['int', 'rank', (n) => n % 7],
  ['int64', 'big', (n) => `90071992547${n}`],
  ['int64', 'other', (n) => n * 31],
  ['float64', 'score', (n) => n / 8],
  ['float64', 'weight', (n) => (n % 100) / 4],
  ['bool', 'live', (n) => n % 2 === 0],
  ['bool', 'hidden', (n) => n % 3 === 0],
  ['time', 'begins', (n) => `2026-01-${String(1 + (n % 28)).padStart(2, '0')}T10:00:00Z`],
  ['time', 'ends', (n) => (n % 5 === 0 ? '' : '2026-12-31T23:59:59.5Z')],
  ['uuid', 'mark', (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
  ['string', 'kind', (n) => ['a', 'b', 'c'][n % 3]],
  ['string', 'lang', (n) => ['de', 'en', 'fr', 'pt'][n % 4]],
];
const SCHEMA = {
  name: 'wide',
  namespace: 'wides',
  label_field: 'name',
  fields: COLUMNS.map(([type, name]) => ({ type, name, ...(name === 'ends' ? { optional: true } : {}) })),
};

const product = await startChild('./server.mjs', {
  // The flags of `npm start`, except for the heap size.
  execArgv: [`--max-old-space-size=${values.heap}`, `--max-semi-space-size=32`],
  input: {
    resources: ['content.*', 'schema.*'],
    posts: 1_000,
    env: { IMPORT_MAX_RECORDS: '100000000', IMPORT_MAX_BYTES: '107374182400', AUTH_ACCESS_TOKEN_LIFETIME: '86400' },
  },
});
const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
const url = `${product.base}/api/content/posts/${product.ids[0]}`;
const prober = await startChild('./prober.mjs', { input: { url, headers } });
const folder = mkdtempSync(join(tmpdir(), 'lintel-bench-import-'));
const path = join(folder, 'wides.csv');
let most = 0;
/** Longest time without a change of the reported progress, in ms. */
let still = 0;
const watch = setInterval(() => (most = Math.max(most, residentMegabytes())), 200);

try {
  await call('POST', '/api/schema', SCHEMA);
  await writeFile(path, file());
  const before = residentMegabytes();
  const alone = await importAll(false);
  const quiet = [await watched(true, () => delay(QUIET_MS))];
  const beside = await importAll(true);
  quiet.push(await watched(true, () => delay(QUIET_MS)));
  const [idle, loaded] = [merged(quiet), merged(Object.values(beside))];
  const ratio = Number((quantile(loaded.times, 0.99) / quantile(idle.times, 0.99)).toFixed(2));
  const summary = {
    ...formatted(alone, 'alone'),
    ...formatted({ idle }),
    ...formatted(beside, 'beside'),
    ...formatted({ loaded }),
  };
  const result = { rows: ROWS, megabytes: Math.round(statSync(path).size / 1e6), before, ...summary, still, ratio };
  for (const [name, value] of Object.entries(result)) console.log(name.padEnd(16), JSON.stringify(value));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  clearInterval(watch);
  rmSync(folder, { recursive: true, force: true });
  await prober.stop();
  await product.stop();
}

/** Sends the file, waits for its check and applies it. Returns the measurements of each phase, with or without reads. */
async function importAll(isRead) {
  let id;
  const staged = await watched(isRead, async () => ({ id } = await sent()));
  let job;
  const checked = await watched(isRead, async () => (job = await followed(id, 'checked')));
  if (job.faults > 0) throw new Error(`The file has ${job.faults} faults.`);
  const written = await watched(isRead, async () => {
    await call('POST', `/api/imports/${id}/apply`, { plan: job.plan });
    job = await followed(id, 'done');
  });
  if (job.created !== ROWS) throw new Error(`${job.created} records were created.`);
  return { staged, checked, written };
}

function sent() {
  return new Promise((resolve, reject) => {
    const upload = { method: 'POST', headers: { ...headers, 'content-type': 'text/csv' } };
    const sending = request(`${product.base}/api/imports?schema=wides`, upload, (answer) => {
      readAnswer(answer).then(resolve, reject);
    });
    pipeline(createReadStream(path), sending, (error) => error && reject(error));
  });
}

async function readAnswer(answer) {
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text).data;
}

/** Runs work, with or without reads. Returns the read times, duration, memory and processor use of the service. */
async function watched(isRead, work) {
  most = residentMegabytes();
  const used = await product.cpuMicros();
  await product.ask('watch');
  if (isRead) await prober.ask('begin');
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const times = isRead ? await prober.ask('end') : [];
  const stretch = await product.ask('longest');
  return { times, ms, memory: most, stretch, cpu: (await product.cpuMicros()) - used };
}

function merged(steps) {
  const sum = (of) => steps.reduce((total, step) => total + of(step), 0);
  return {
    times: steps.flatMap(({ times }) => times).toSorted((left, right) => left - right),
    ms: sum(({ ms }) => ms),
    cpu: sum(({ cpu }) => cpu),
    memory: Math.max(...steps.map(({ memory }) => memory)),
    stretch: Math.max(...steps.map(({ stretch }) => stretch)),
  };
}

function formatted(steps, prefix = '') {
  return Object.fromEntries(
    Object.entries(steps).map(([name, { times, ms, cpu, memory, stretch }]) => {
      const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => Number(quantile(times, share).toFixed(1)));
      const reads = times.length > 0 ? { p50, p99, longest } : {};
      const processor = `${Math.round(cpu / ms / 10)} %`;
      const seconds = Number((ms / 1_000).toFixed(1));
      return [`${prefix} ${name}`.trim(), { seconds, memory, processor, stretch: Math.round(stretch), ...reads }];
    }),
  );
}

function quantile(times, share) {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

async function followed(id, state) {
  let last = '';
  let movedAt = performance.now();
  for (;;) {
    const { data: current } = await call('GET', `/api/imports/${id}`);
    const progress = `${current.state} ${current.checked} ${current.applied}`;
    if (progress !== last) {
      still = Math.max(still, Math.round(performance.now() - movedAt));
      [last, movedAt] = [progress, performance.now()];
    }
    if (current.state === state) return current;
    if (['stopped', 'cancelled'].includes(current.state)) throw new Error(`It is ${current.state}: ${current.error}`);
    await delay(POLL_MS);
  }
}

function* file() {
  yield `${COLUMNS.map(([, name]) => name).join(',')}\n`;
  for (let from = 0; from < ROWS; from += LINES) {
    let part = '';
    for (let n = from; n < Math.min(from + LINES, ROWS); n += 1)
      part += `${COLUMNS.map(([, , value]) => value(n)).join(',')}\n`;
    yield part;
  }
}

async function call(method, path, json) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(product.base + path, { method, headers, ...body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

function residentMegabytes() {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
