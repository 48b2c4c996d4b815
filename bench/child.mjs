import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { startSampling, stopSampling } from './layers.mjs';

/** Server of the product, which is measured with the flags that `npm start` gives to Node. */
const PRODUCT = './server.mjs';
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)));
const PRODUCT_FLAGS = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/**
 * Starts one of the servers of this folder as a process of its own and waits for the message that it is ready.
 * `input` goes to it as JSON, `execArgv` to Node. With `profileDir` it writes a CPU profile there when it ends.
 */
export async function startChild(file, { input = {}, profileDir, execArgv: given = [] } = {}) {
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const execArgv = [...(file === PRODUCT ? PRODUCT_FLAGS : []), ...given, ...profile];
  const env = { ...process.env, NODE_ENV: 'production', BENCH_INPUT: JSON.stringify(input) };
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv, env });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
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

/** Reads, in a server, the input that `startChild` was given. */
export function readInput() {
  return JSON.parse(process.env.BENCH_INPUT ?? '{}');
}

/**
 * Serves until asked to end: says that it is ready, and ends it in order when asked to, or when its parent is gone. `own` is what else
 * it can be asked to do, by name.
 */
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

/** Returns the longest time, in ms, that the one thread was with one thing since {@link watchLoop}. */
async function longestStretch() {
  loop.disable();
  return loop.max / 1e6;
}

/** Returns the processor time that the process has used, in microseconds. */
async function cpuMicros(child) {
  child.send('cpu');
  const [{ cpuMicros: used }] = await once(child, 'message');
  return used;
}

/** Has a server do something that it can do, and answers when it is done. */
async function askChild(child, question) {
  child.send(question);
  const [{ done }] = await once(child, 'message');
  return done;
}

/** Returns what is in use once everything that nobody needs is gone, in bytes; the server needs `--expose-gc`. */
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
