/**
 * `npm run files [-- --megabytes 1024 --seconds 2 --connections 64 --rounds 9 --layers --profile <directory>]`: uploads and downloads a
 * large file in every way, with the memory growth of the service (RSS from /proc).
 * Then reads files of 100 KB, one file repeatedly and many in sequence. Compares the requests per second with a bare server that streams
 * from disk, in turns in the same run; the results are medians of the rounds.
 * `--layers` shows where each side spends its time, `--profile` keeps a CPU profile of the service. With `S3_ENDPOINT` and related
 * variables the files are in that store, including one direct upload. Build first (`npm run build`).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { compareByRounds } from './compare.mjs';
import { reportLayers } from './layers.mjs';
import { report, reportHead } from './report.mjs';

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '9' },
    layers: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const size = Number(values.megabytes) * 1_048_576;
const PART = Buffer.alloc(65_536, 'lintel');
const ORDINARY = 1_000;
const SMALL = 100_000;
const DIRECT_PART = 8 * 1_048_576;
/** More small files than the service caches in memory. */
const MANY = 400;

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(S3|FILES)_/.test(name)));
const input = { resources: ['content.*'], env: { ...env, FILES_MAX_SIZE: String(2 * size + SMALL) } };
const product = await startChild('./server.mjs', { execArgv: ['--expose-gc'], input, profileDir: values.profile });
const bare = await startChild('./bare-files.mjs', { input: { size: SMALL, count: MANY } });
const authorization = `Bearer ${product.token}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const digests = {};

try {
  if (size > 0) await largeOnes();
  console.log(`\n${SMALL / 1_000} KB, ${values.connections} connections, medians of ${values.rounds} rounds\n`);
  const ids = [];
  while (ids.length < MANY) {
    const { data } = await sendRaw(SMALL);
    ids.push(data.id);
  }
  reportHead();
  await small('one file', ids.slice(0, 1));
  await small(`of ${MANY}`, ids);
} finally {
  await bare.stop();
  await product.stop();
}

/** Reads small files in turns with the bare server. Each connection begins with a different file. */
async function small(name, ids) {
  const [connections, seconds, rounds] = ['connections', 'seconds', 'rounds'].map((given) => Number(values[given]));
  const reading = (server, requests) => {
    let at = 0;
    const setupClient = (client) => {
      at += Math.ceil(requests.length / connections);
      client.setRequests([...requests.slice(at % requests.length), ...requests.slice(0, at % requests.length)]);
    };
    return { server, options: { url: server.base, setupClient } };
  };
  const sides = [
    reading(
      product,
      ids.map((id) => ({ path: `/api/files/${id}`, headers: { authorization } })),
    ),
    reading(
      bare,
      ids.map((_id, at) => ({ path: `/${at}` })),
    ),
  ];
  const [ours, limit] = await compareByRounds(sides, { connections, seconds, rounds, layers: values.layers });
  report(name, ours, limit);
  if (values.layers) reportLayers(name, ours, limit);
}

async function largeOnes() {
  console.log(`${values.megabytes} MB each: growth of the resident memory, in MB, relative to a service in use, which`);
  console.log(
    `has just returned ${ORDINARY} requests for small files, and above what is left when all that nobody needs was`,
  );
  console.log('garbage collection\n');
  line('', 'in use', 'collected', 'MB/s');
  const ids = {};
  for (const bytes of [SMALL, size]) ids[bytes] = (await sendRaw(bytes)).data.id;
  const ways = Object.entries({
    'raw up': sendRaw,
    'form up': sendForm,
    'tus up': sendResumable,
    ...(env.S3_ENDPOINT === undefined ? {} : { 'direct up': sendDirect }),
    down: (bytes) => read(`/api/files/${ids[bytes]}`, bytes),
  });
  const inUse = [];
  for (const [, work] of ways) inUse.push(await afterSmallOnes(work));
  for (const [at, [name, work]] of ways.entries())
    line(name, inUse[at].grown, await afterCollection(work), inUse[at].perSecond);
}

async function afterSmallOnes(work) {
  await ordinary(work);
  const start = performance.now();
  const grown = await growth(() => work(size));
  return { grown, perSecond: String(Math.round((size / 1_048_576 / (performance.now() - start)) * 1_000)) };
}

async function afterCollection(work) {
  // The memory of the previous step is released shortly afterwards.
  await delay(500);
  await product.memory();
  return growth(() => work(size));
}

async function ordinary(work) {
  const { data } = await sendRaw(SMALL);
  for (let at = 0; at < ORDINARY; at += 2) {
    await read(`/api/files/${data.id}`, SMALL);
    await work(SMALL);
  }
}

async function growth(work) {
  const before = resident();
  return signed((await most(work)) - before);
}

async function most(work) {
  let found = resident();
  const timer = setInterval(() => (found = Math.max(found, resident())), 20);
  await work().finally(() => clearInterval(timer));
  return found;
}

function line(name, ...cells) {
  console.log(name.padEnd(9) + cells.map((cell) => cell.padStart(12)).join(''));
}

function signed(megabytes) {
  return `${megabytes < 0 ? '' : '+'}${megabytes.toFixed(1)}`;
}

function resident() {
  const [, pages] = readFileSync(`/proc/${product.pid}/statm`, 'utf8').split(' ');
  return (Number(pages) * 4_096) / 1_048_576;
}

function* parts(bytes) {
  for (let left = bytes; left > 0; left -= PART.length) yield left < PART.length ? PART.subarray(0, left) : PART;
}

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(product.base + path, { method, headers: { authorization, ...headers } }, (answer) => {
      answered(path, answer).then(resolve, reject);
    });
    sent.on('error', reject);
    Readable.from(body).pipe(sent);
  });
}

async function answered(path, answer) {
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode >= 300) throw new Error(`${path} returned ${answer.statusCode} ${text}`);
  return { ...(text === '' ? {} : JSON.parse(text)), headers: answer.headers };
}

function sendRaw(bytes) {
  return send('POST', '/api/files', { 'content-length': bytes }, parts(bytes));
}

function sendForm(bytes) {
  const head = Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
  const body = (function* () {
    yield head;
    yield* parts(bytes);
    yield Buffer.from('\r\n--x--\r\n');
  })();
  return send('POST', '/api/files', { 'content-type': 'multipart/form-data; boundary=x' }, body);
}

async function sendResumable(bytes) {
  const version = { 'tus-resumable': '1.0.0' };
  const { headers } = await send('POST', '/api/files/uploads', { ...version, 'upload-length': bytes }, []);
  const sent = {
    ...version,
    'upload-offset': 0,
    'content-length': bytes,
    'content-type': 'application/offset+octet-stream',
  };
  return send('PATCH', headers.location, sent, parts(bytes));
}

async function sendDirect(bytes) {
  const sizes = Array.from({ length: Math.ceil(bytes / DIRECT_PART) }, (_, at) =>
    Math.min(DIRECT_PART, bytes - at * DIRECT_PART),
  );
  const checksums = sizes.map(digestOf);
  const announced = { name: 'a.bin', size: bytes, part_size: DIRECT_PART, checksums };
  const { data } = await send('POST', '/api/files/direct', JSON_TYPE, [JSON.stringify(announced)]);
  const sentParts = [];
  for (const { number, size: length, url, headers } of data.parts) {
    const answer = await fetch(url, { method: 'PUT', headers, body: Buffer.concat([...parts(length)]) });
    if (!answer.ok) throw new Error(`The bucket returned ${answer.status} to a part.`);
    sentParts.push({ number, etag: answer.headers.get('etag') });
  }
  return send('POST', `/api/files/direct/${data.id}/complete`, JSON_TYPE, [JSON.stringify({ parts: sentParts })]);
}

function digestOf(bytes) {
  digests[bytes] ??= [...parts(bytes)].reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
  return digests[bytes];
}

async function read(path, bytes) {
  const answer = await fetch(product.base + path, { headers: { authorization } });
  let came = 0;
  for await (const part of answer.body) came += part.length;
  if (came !== bytes) throw new Error(`received ${came} bytes instead of ${bytes}`);
}
