import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { startSampling, stopSampling } from './layers.mjs';

/** Server of the product, which is measured with the Node flags of `npm start`. */
const PRODUCT = './server.mjs';
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)));
const PRODUCT_FLAGS = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/**
 * Starts a server of this folder as a process and waits until it is ready. `input` is passed as JSON, `execArgv` to Node. With `profileDir`
 * it writes a CPU profile there on exit.
 */
export async function startChild(file, { input = {}, profileDir, execArgv: given = [] } = {}) {
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const execArgv = [...(file === PRODUCT ? PRODUCT_FLAGS : []), ...given, ...profile];
  const env = { ...process.env, NODE_ENV: 'production', BENCH_INPUT: JSON.stringify(input) };
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv, env });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} exited with ${code}`);
  });
  const [ready] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  const ask = (question) => askChild(child, question);
  return {
    ...ready,
    pid: child.pid,
    ask,
    cpuMicros: () => cpuMicros(child),
    memory: () => memory(child),
    stop: () => stop(child),
  };
}

export function readInput() {
  return JSON.parse(process.env.BENCH_INPUT ?? '{}');
}

/** Reports that the server is ready and serves until it gets a stop message or its parent exits. `own` has additional commands by name. */
export function serveUntilAsked(ready, close, own = {}) {
  const work = { sample: startSampling, layers: stopSampling, watch: watchLoop, longest: longestStretch, ...own };
  const end = () => void close().then(() => process.exit(0));
  process.on('message', (message) => {
    if (message === 'stop') return end();
    if (Object.hasOwn(work, message)) return void work[message]().then((done) => process.send({ done }));
    if (message === 'memory') return sendMemory();
    const { user, system } = process.cpuUsage();
    return process.send({ cpuMicros: user + system });
  });
  process.once('disconnect', end);
  process.send(ready);
}

const loop = monitorEventLoopDelay({ resolution: 1 });

async function watchLoop() {
  loop.reset();
  loop.enable();
}

/** Returns the longest block of the event loop since {@link watchLoop}, in ms. */
async function longestStretch() {
  loop.disable();
  return loop.max / 1e6;
}

async function cpuMicros(child) {
  child.send('cpu');
  const [{ cpuMicros: used }] = await once(child, 'message');
  return used;
}

async function askChild(child, question) {
  child.send(question);
  const [{ done }] = await once(child, 'message');
  return done;
}

/** Returns the memory in use after garbage collection, in bytes. The server needs `--expose-gc`. */
async function memory(child) {
  child.send('memory');
  const [message] = await once(child, 'message');
  return message.memory;
}

function sendMemory() {
  for (let turn = 0; turn < 3; turn += 1) globalThis.gc();
  process.send({ memory: process.memoryUsage() });
}

async function stop(child) {
  if (child.exitCode !== null) return;
  child.send('stop');
  await once(child, 'exit');
}
