import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../../.ci/support/servers.mjs';

const PERSON = { login: 'root@example.com', password: 'sturdy walnut 47' };
const CLI = fileURLToPath(new URL('../../dist/program/cli.js', import.meta.url));
const ANSWER_MS = 30_000;
/** Allowed errors while the database is unavailable. The service sends each as a 503 that asks to retry. */
const PASSING = ['database_unavailable', 'server_busy', 'query_timeout', 'not_ready'];

/** Sends a request. Status 0 means that the service did not send a JSON response. */
export async function ask(origin, method, path, { body, token, key } = {}) {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${origin}${path}`, { method, headers, signal, ...sent });
    return { status: response.status, tag: response.headers.get('etag'), body: await response.json() };
  } catch {
    // The connection was lost, or the proxy had no instance to forward to.
    return { status: 0, body: null };
  }
}

/** Uses the service in many ways concurrently, and records the acknowledged writes. */
export class Driver {
  /** Titles of acknowledged records. */
  acknowledged = new Set();
  schemas = new Set();
  /** Time of each acknowledgement, in milliseconds. */
  times = [];
  answers = {};
  /** Responses that must not occur. */
  faults = [];
  /** Successful runs of other programs. */
  beside = { dumps: 0, migrations: 0 };
  #running = true;
  #work = [];
  #made = 0;

  constructor({ origin, token, cluster, scratch }) {
    Object.assign(this, { origin, token, cluster, scratch });
  }

  start() {
    this.#work = [
      ...Array.from({ length: 4 }, () => this.#repeat(5, () => this.#write(1))),
      this.#repeat(50, () => this.#write(20)),
      ...Array.from({ length: 2 }, () => this.#repeat(5, () => this.#ask('GET', '/api/content/notes?limit=20'))),
      ...Array.from({ length: 4 }, () => this.#repeat(20, () => this.#signIn())),
      this.#repeat(1_000, () => this.#alter()),
      this.#repeat(500, () => this.#dump()),
      this.#repeat(500, () => this.#migrate()),
    ];
  }

  async stop() {
    this.#running = false;
    await Promise.all(this.#work);
  }

  /** Returns the longest time without an acknowledged write since a point in time, in seconds. */
  gapSince(from) {
    const times = [from, ...this.times.filter((time) => time >= from)];
    return Math.max(...times.slice(1).map((time, at) => time - times[at]), 0) / 1_000;
  }

  async #repeat(pauseMs, work) {
    while (this.#running) {
      await work();
      await delay(pauseMs);
    }
  }

  async #ask(method, path, options = {}) {
    const answer = await ask(this.origin, method, path, { token: this.token, ...options });
    const error = answer.body?.data?.error;
    const name =
      answer.status === 0 ? 'no response' : error === undefined ? answer.status : `${answer.status} ${error}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
    const passes = answer.status < 300 || (answer.status === 503 && PASSING.includes(error));
    if (!passes) this.faults.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Repeats the request with the same key until it is acknowledged, as a client does that needs exactly one write. */
  async #write(count) {
    const number = (this.#made += 1);
    const titles = Array.from({ length: count }, (_, at) => `${number} ${at}`);
    const body = count === 1 ? { title: titles[0] } : titles.map((title) => ({ title }));
    while (this.#running) {
      const { status } = await this.#ask('POST', '/api/content/notes', { body, key: `write-${number}` });
      if (status === 201) {
        this.times.push(performance.now());
        titles.forEach((title) => this.acknowledged.add(title));
        return;
      }
      await delay(200);
    }
  }

  #signIn() {
    return this.#ask('POST', '/api/auth/local/login', { body: PERSON, token: undefined });
  }

  async #alter() {
    const name = `kind${(this.#made += 1)}`;
    const fields = [{ name: 'title', type: 'string', unique: true }];
    const body = { name, namespace: `${name}s`, label_field: 'title', fields };
    if ((await this.#ask('POST', '/api/schema', { body })).status === 201) this.schemas.add(name);
  }

  async #dump() {
    const code = await run('pg_dump', ['--dbname', this.cluster.proxyUrl('lintel', 'postgres'), '--file', '/dev/null']);
    if (code === 0) this.beside.dumps += 1;
  }

  /** Migrates an empty database. A failed migration must leave nothing behind, so it is tried again. */
  async #migrate() {
    const name = `fresh${(this.#made += 1)}`;
    const made = await this.cluster.sql(`CREATE DATABASE ${name} OWNER lintel`).catch(() => null);
    if (made === null) return;
    const home = join(this.scratch, 'migrations');
    mkdirSync(home, { recursive: true });
    const env = {
      DATABASE_URL: this.cluster.hostsUrl(name),
      DATA_DIR: home,
      APP_KEY: 'a key for runs, long enough to be one',
    };
    while (this.#running && (await run(process.execPath, [CLI, 'migrate:up'], env)) !== 0) await delay(500);
    const tables = await this.cluster.sql(`SELECT count(*)::int AS count FROM lintel_migrations`, name).then(
      ([row]) => row.count,
      () => null,
    );
    if (tables !== null) this.beside.migrations += 1;
    await this.cluster.sql(`DROP DATABASE ${name} WITH (FORCE)`).catch(() => undefined);
  }
}

/** Runs a program for at most a minute, and returns its exit code. */
function run(program, args, env = {}) {
  const { PATH, HOME } = process.env;
  return new Promise((done) => {
    const child = spawn(program, args, { env: { PATH, HOME, ...env }, stdio: 'ignore', timeout: 60_000 });
    child.once('error', () => done(-1)).once('close', (code) => done(code ?? -1));
  });
}

/** Ends a session on one instance, and returns the time until the other knows, in milliseconds. Measures both directions. */
export async function revocationMs(origins) {
  let slowest = 0;
  for (const [one, other] of [origins, [...origins].reverse()]) {
    const token = (await ask(one, 'POST', '/api/auth/local/login', { body: PERSON })).body?.token;
    if (token === undefined) throw new Error('no user can sign in');
    await until(async () => (await ask(other, 'GET', '/api/auth/me', { token })).status === 200, 'the token', 5_000);
    const ended = await ask(one, 'POST', '/api/auth/logout', { token });
    if (ended.status >= 300) throw new Error(`the sign-out returned ${ended.status} ${JSON.stringify(ended.body)}`);
    const begin = performance.now();
    while ((await ask(other, 'GET', '/api/auth/me', { token })).status !== 401) {
      if (performance.now() - begin > 10_000)
        throw new Error('the revoked session is still valid on the other instance');
      await delay(5);
    }
    slowest = Math.max(slowest, performance.now() - begin);
  }
  return Math.round(slowest);
}
