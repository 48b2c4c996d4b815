/**
 * `npm run import [-- --rows 1000000 --heap 320]`: an import in the background of so many records of 20 columns, as CSV. Prints how long it takes
 * to send and stage them, to check them and to write them; how long its progress stood still at most; how much memory the service holds
 * before, and at most in each of the three (resident, in MB, with an old generation of that many MB, as V8 takes what it is let); and the
 * times of a read by its id meanwhile, every 20 ms, beside those of a quiet service. The whole as JSON with `--json <file>`. On the embedded database, or on that of DATABASE_URL (an empty one); everything shares the
 * machine. Linux; build first (`npm run build`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
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
const LINES = 500;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Twenty columns of the ordinary types, with the values of a row. */
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
  execArgv: [`--max-old-space-size=${values.heap}`],
  input: {
    resources: ['content.*', 'schema.*'],
    posts: 1_000,
    env: { IMPORT_MAX_RECORDS: '100000000', IMPORT_MAX_BYTES: '107374182400', AUTH_ACCESS_TOKEN_LIFETIME: '86400' },
  },
});
const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
const url = `${product.base}/api/content/posts/${product.ids[0]}`;
const prober = await startChild('./prober.mjs', { input: { url, headers } });
let most = 0;
const watch = setInterval(() => (most = Math.max(most, residentMegabytes())), 200);

try {
  await call('POST', '/api/schema', SCHEMA);
  await prober.ask('begin');
  await delay(6_000);
  const idle = timesOf(await prober.ask('end'));
  const before = residentMegabytes();
  most = before;
  await prober.ask('begin');
  const { bytes, ...steps } = await importAll();
  const loaded = timesOf(await prober.ask('end'));
  const result = { rows: ROWS, megabytes: bytes / 1e6, ...steps, before, idle, loaded };
  for (const [name, value] of Object.entries(result)) console.log(name.padEnd(12), JSON.stringify(value));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  clearInterval(watch);
  await prober.stop();
  await product.stop();
}

/** Sends the file, waits for its check, has it written; seconds of each, and how long its progress stood still at most. */
async function importAll() {
  let bytes = 0;
  let began = performance.now();
  const answer = await fetch(`${product.base}/api/imports?schema=wides`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    duplex: 'half',
    body: ReadableStream.from(
      (async function* () {
        for (const part of file()) {
          const chunk = Buffer.from(part);
          bytes += chunk.length;
          yield chunk;
        }
      })(),
    ),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 300)}`);
  const { id } = JSON.parse(text).data;
  const lap = () => {
    const now = performance.now();
    const seconds = (now - began) / 1_000;
    began = now;
    return seconds;
  };
  const staged = lap();
  const peaks = [most];
  most = 0;
  const checked = await followed(id, 'checked');
  const check = lap();
  peaks.push(most);
  most = 0;
  if (checked.told.faults > 0) throw new Error(`The file has ${checked.told.faults} faults.`);
  await call('POST', `/api/imports/${id}/apply`, { plan: checked.told.plan });
  const applied = await followed(id, 'done');
  const apply = lap();
  peaks.push(most);
  if (applied.told.created !== ROWS) throw new Error(`${applied.told.created} records were made.`);
  return { bytes, staged, check, apply, peaks, still: Math.max(checked.still, applied.still) };
}

async function followed(id, state) {
  let last = '';
  let movedAt = performance.now();
  let still = 0;
  for (;;) {
    const { data: told } = await call('GET', `/api/imports/${id}`);
    const progress = `${told.state} ${told.checked} ${told.applied}`;
    if (progress !== last) {
      still = Math.max(still, performance.now() - movedAt);
      [last, movedAt] = [progress, performance.now()];
    }
    if (told.state === state) return { told, still: still / 1_000 };
    if (['stopped', 'cancelled'].includes(told.state)) throw new Error(`It is ${told.state}: ${told.error}`);
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

function timesOf(times) {
  const at = (share) => Number(times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1));
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

function residentMegabytes() {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
