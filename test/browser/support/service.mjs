import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { temporaryFolder } from '../../../scripts/temporary.mjs';
import { startChild } from './child.mjs';
import { until } from './until.mjs';

/** Timeout for hanging starts, generous because a busy machine is slow. */
const START_MS = 120_000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The built product as a process on loopback, with a new data directory. */
export class Service {
  lines = [];
  #child;
  #dataDir;
  #env;

  /**
   * Starts a service and waits until it is ready.
   *
   * @param {string} direct its own address, from {@link freeAddress}.
   * @param {Record<string, string>} env additional variables. With `APP_URL`, browsers use that address.
   */
  static async start(direct, env = {}) {
    const service = new Service();
    service.direct = direct;
    service.url = env.APP_URL ?? direct;
    service.#dataDir = mkdtempSync(join(temporaryFolder(), 'lintel-browser-'));
    const own = { PORT: new URL(direct).port, APP_URL: direct, DATA_DIR: service.#dataDir, LOG_LEVEL: 'trace' };
    service.#env = { PATH: process.env.PATH, HOME: process.env.HOME, ...own, ...env };
    service.#spawn();
    await until(
      () => service.lines.some((line) => line.includes('is ready at')) || service.#assertAlive(),
      'the service',
      START_MS,
    );
    return service;
  }

  get setupAddress() {
    return this.lines.map((line) => /\S+\/dash\/setup#token=\S+/.exec(line)?.[0]).find(Boolean);
  }

  /** The log without the set-up link of the banner. */
  get log() {
    return this.lines.filter((line) => !line.includes('/dash/setup#token='));
  }

  /** Sends a JSON request and returns the response body. @throws Error for an error response. */
  async post(path, body) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.direct + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Runs a script of the product as an operator. @throws Error if it fails. */
  async run(script, ...args) {
    let text = '';
    const onText = (more) => (text += more);
    const child = startChild(join(ROOT, script), { cwd: ROOT, env: this.#env, args, onText });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${script} ${args[0]} ended with ${code}:\n${text}`);
    return text;
  }

  /** Runs a statement in the embedded database, for amounts of data that are too large for requests. */
  async sql(text) {
    const client = await this.#operator();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Locks the rows of a statement. Returns a function that releases them. */
  async holding(text) {
    const client = await this.#operator();
    await client.query(`BEGIN; ${text} FOR UPDATE`);
    return () => client.end();
  }

  async #operator() {
    const client = new pg.Client({ host: join(this.#dataDir, 'postgres/run'), user: 'lintel', database: 'lintel' });
    await client.connect();
    return client;
  }

  async stop() {
    const { exitCode } = this.#child;
    if (exitCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
    // The embedded server releases its files shortly after the last process that uses it.
    await rmLater(this.#dataDir);
  }

  #spawn() {
    let rest = '';
    this.#child = startChild(join(ROOT, 'dist/program/main.js'), {
      cwd: this.#dataDir,
      env: this.#env,
      onText: (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        this.lines.push(...lines);
      },
    });
  }

  #assertAlive() {
    if (this.#child.exitCode !== null) throw new Error(`The service ended:\n${this.lines.join('\n')}`);
    return false;
  }
}

export async function freeAddress() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://localhost:${port}`;
}

async function rmLater(directory) {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
