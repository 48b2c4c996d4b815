import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { temporaryFolder } from '../../../scripts/temporary.mjs';
import { startChild } from './child.mjs';
import { until } from './until.mjs';

/** Ends what hangs: a machine that does much else is slow to start one. */
const START_MS = 120_000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The built product as a process of its own, on loopback, with a fresh data directory. */
export class Service {
  /** Output of the service so far, line by line. */
  lines = [];
  #child;
  #dataDir;
  #env;

  /**
   * Starts one; it answers when this settles.
   *
   * @param {string} direct where it listens, from {@link freeAddress}.
   * @param {Record<string, string>} env beside what every service of these tests has. With `APP_URL`, browsers use that address.
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

  /** The address that the start banner prints for making the first administrator. */
  get setupAddress() {
    return this.lines.map((line) => /\S+\/dash\/setup#token=\S+/.exec(line)?.[0]).find(Boolean);
  }

  /** The structured log, without what the banner prints for whoever started it. */
  get log() {
    return this.lines.filter((line) => !line.includes('/dash/setup#token='));
  }

  /** Sends one JSON request and answers its body. */
  async post(path, body) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.direct + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Runs a script of the product to its end, as an operator beside the service; fails where it fails. */
  async run(script, ...args) {
    let text = '';
    const onText = (more) => (text += more);
    const child = startChild(join(ROOT, script), { cwd: ROOT, env: this.#env, args, onText });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${script} ${args[0]} ended with ${code}:\n${text}`);
    return text;
  }

  /** Runs a statement in its embedded database, as an operator beside the service: for more than is sent by requests. */
  async sql(text) {
    const client = await this.#operator();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Locks the rows that a statement finds, until what it returns is called. */
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

  /** Stops it and removes what it kept. */
  async stop() {
    const { exitCode } = this.#child;
    if (exitCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
    // The embedded server lets go of its files a moment after the last process that uses it.
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

/** Returns an address on loopback that nobody uses. */
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
