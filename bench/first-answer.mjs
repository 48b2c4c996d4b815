/**
 * `npm run first-answer [-- --rounds 5 --schemas 500]`: measures the time from start to first response, the resident memory ten seconds
 * later (MB), and the processor time of the start.
 * Cases: an empty data directory, the same directory again, and with DATABASE_URL (an empty database) a running PostgreSQL: first start,
 * next start, and with many schemas. First starts run once, the others are medians of the rounds. Linux only. Build first (`npm run
 * build`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { manySchemas } from './many-schemas.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, schemas: { type: 'string', default: '500' } },
});
const APP_KEY = 'a key for benchmarks that is long enough to be one';
const START = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)))
  .scripts.start.split(' ')
  .slice(1);
const POLL_MS = 5;
/** By then V8 has released the memory that only the start needed. */
const REST_MS = 10_000;
const TICKS_MS = 10;

const dataDir = mkdtempSync(join(tmpdir(), 'lintel-first-answer-'));
const { DATABASE_URL: url, ...inherited } = process.env;
try {
  row('', 'first answer, s', 'processor, s', 'resident, MB');
  await rounds('an empty directory', {}, 1);
  await rounds('an existing directory', {}, Number(values.rounds));
  if (url !== undefined) {
    const external = { DATABASE_URL: url };
    await rounds('an empty database', external, 1);
    await rounds('a running PostgreSQL', external, Number(values.rounds));
    await putSchemas(Number(values.schemas));
    await rounds(`with ${values.schemas} schemas`, external, Number(values.rounds));
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

async function rounds(name, env, count) {
  const runs = [];
  for (let round = 0; round < count; round += 1) runs.push(await measure(env));
  row(name, ...['seconds', 'processor', 'resident'].map((key) => median(runs.map((run) => run[key]))));
}

async function measure(own) {
  const port = await freePort();
  const env = {
    ...inherited,
    ...own,
    APP_KEY,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const began = performance.now();
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const service = spawn(process.execPath, START, { env, cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(service, 'exit');
  try {
    while (!(await answers(port))) {
      if (service.exitCode !== null) throw new Error(`The service exited with ${service.exitCode}.`);
      await delay(POLL_MS);
    }
    const seconds = (performance.now() - began) / 1_000;
    const processor = processorSeconds(service.pid);
    await delay(REST_MS);
    return { seconds, processor, resident: residentMegabytes(service.pid) };
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
}

async function answers(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

async function putSchemas(count) {
  process.env.DATABASE_URL = url;
  const product = await startChild('./server.mjs', { input: { resources: ['schema.*'] } });
  const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(manySchemas(count));
  const response = await fetch(`${product.base}/api/schema`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`${response.status} ${(await response.text()).slice(0, 500)}`);
  await product.stop();
}

/** Returns the sum of `utime` and `stime`. /proc counts in hundredths of a second (proc_pid_stat). */
function processorSeconds(pid) {
  const cells = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(cells[11]) + Number(cells[12])) * TICKS_MS) / 1_000;
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)];
}

function row(name, ...cells) {
  const texts = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell).padStart(17));
  console.log(name.padEnd(24) + texts.join(''));
}
