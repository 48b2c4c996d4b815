import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const POSTGRES = process.env.POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const PATIENCE_MS = 60_000;
const isRoot = process.getuid?.() === 0;

/** Returns a directory for the files of a run. PostgreSQL refuses to run as root, so the directory belongs to the server's user. */
export function makeScratch() {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-servers-'));
  const owner = isRoot ? Number(spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).stdout) : userInfo().uid;
  chownSync(directory, owner, -1);
  return directory;
}

export function ownedCommand(program, args) {
  return isRoot ? ['runuser', '-u', 'postgres', '--', program, ...args] : [program, ...args];
}

function owned(program, args, cwd) {
  const [first, ...rest] = ownedCommand(program, args);
  const { status, stdout, stderr } = spawnSync(first, rest, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`${program} exited with ${status}: ${stdout}${stderr}`);
}

export class Postgres {
  #data;
  #settings = {};

  constructor(scratch, name, port) {
    this.scratch = scratch;
    this.port = port;
    this.#data = join(scratch, name);
  }

  static async create(scratch, name, settings = {}) {
    const server = new Postgres(scratch, name, await freePort());
    owned(
      join(POSTGRES, 'initdb'),
      ['-D', server.#data, '-U', 'lintel', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
      scratch,
    );
    server.start(settings);
    return server;
  }

  /** Returns a running standby with the same settings. A standby with fewer connections than its primary refuses to start. */
  async replicate(name, port) {
    const standby = new Postgres(this.scratch, name, port ?? (await freePort()));
    const from = `host=127.0.0.1 port=${this.port} user=lintel application_name=${name}`;
    owned(
      join(POSTGRES, 'pg_basebackup'),
      ['-d', from, '-D', standby.#data, '-R', '-X', 'stream', '-c', 'fast'],
      this.scratch,
    );
    standby.start(this.#settings);
    return standby;
  }

  start(settings = this.#settings) {
    this.#settings = settings;
    const all = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.scratch,
      max_connections: 100,
      ...settings,
    };
    const options = Object.entries(all)
      .map(([key, value]) => `-c ${key}=${value}`)
      .join(' ');
    owned(
      join(POSTGRES, 'pg_ctl'),
      ['-D', this.#data, '-l', `${this.#data}.log`, '-w', '-t', '60', '-o', options, 'start'],
      this.scratch,
    );
  }

  stop(mode = 'immediate') {
    try {
      owned(join(POSTGRES, 'pg_ctl'), ['-D', this.#data, '-m', mode, '-w', 'stop'], this.scratch);
    } catch {
      // The server is already stopped.
    }
  }

  promote() {
    owned(join(POSTGRES, 'pg_ctl'), ['-D', this.#data, '-w', 'promote'], this.scratch);
  }

  url(database = 'postgres') {
    return `postgres://lintel@127.0.0.1:${this.port}/${database}`;
  }

  /** Returns an administrator connection, through a pooler if its port is given. The caller must end it. */
  async connect(database = 'postgres', port = this.port) {
    const client = new pg.Client({ connectionString: `postgres://lintel@127.0.0.1:${port}/${database}` });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements as administrator, each separately, and returns the rows of the last one. */
  async sql(texts, database = 'postgres') {
    const client = await this.connect(database);
    try {
      let rows = [];
      for (const text of [texts].flat()) ({ rows } = await client.query(text));
      return rows;
    } finally {
      await client.end();
    }
  }
}

export class Product {
  stdout = '';
  stderr = '';
  /** Exit code of the process, or the signal that ended it; null while it runs. @type {number | string | null} */
  code = null;
  #child;

  constructor(scratch, name, env) {
    const dataDir = join(scratch, `data-${name}`);
    mkdirSync(dataDir, { recursive: true });
    const { PATH, HOME } = process.env;
    this.port = env.PORT;
    this.#child = spawn(process.execPath, [MAIN], {
      cwd: dataDir,
      env: {
        PATH,
        HOME,
        DATA_DIR: dataDir,
        APP_KEY: 'a key for acceptance runs, long enough',
        RATE_LIMIT_ENABLED: 'false',
        ...env,
      },
    });
    this.#child.stdout.on('data', (text) => (this.stdout += text));
    this.#child.stderr.on('data', (text) => (this.stderr += text));
    this.exit = new Promise((done) =>
      this.#child.once('close', (code, signal) => {
        this.code = code ?? signal;
        done(this.code);
      }),
    );
  }

  static async start(scratch, name, env) {
    const product = new Product(scratch, name, { PORT: String(await freePort()), ...env });
    await product.ready();
    return product;
  }

  async ready() {
    await until(async () => {
      if (this.code !== null) throw new Error(`the process exited: ${this.stderr}`);
      return / is ready at [^]*\n\n/.test(this.stdout) && (await this.ask('GET', '/readyz')).status === 200;
    }, 'the service to be ready');
  }

  get pid() {
    return this.#child.pid;
  }

  get setupToken() {
    return /setup#token=(\S+)/.exec(this.stdout)?.[1];
  }

  /** Sends one request. The status is 0 if the service does not respond. */
  async ask(method, path, body, token, headers = {}) {
    const options = { method, headers: { ...headers }, signal: AbortSignal.timeout(40_000) };
    if (token) options.headers.authorization = `Bearer ${token}`;
    if (body) Object.assign(options, { body: JSON.stringify(body) });
    if (body) options.headers['content-type'] = 'application/json';
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}${path}`, options);
      return { status: response.status, headers: response.headers, body: await response.json() };
    } catch {
      return { status: 0, headers: new Headers(), body: null };
    }
  }

  async stop() {
    return this.end('SIGTERM');
  }

  async end(signal) {
    if (this.code === null) this.#child.kill(signal);
    return this.exit;
  }
}

/** Creates the first administrator and returns its token. With several instances, only the last started one has a valid setup token. */
export async function administratorOf(...products) {
  const person = { email: 'root@example.com', password: 'sturdy walnut 47' };
  const [product] = products;
  const made = [];
  for (const { setupToken: token } of products)
    made.push(await product.ask('POST', '/api/setup', { token, ...person, password_confirmation: person.password }));
  if (!made.some(({ status }) => status < 300)) throw new Error(`set-up returned ${JSON.stringify(made)}`);
  const { body } = await product.ask('POST', '/api/auth/local/login', {
    login: person.email,
    password: person.password,
  });
  return body.token;
}

export async function until(holds, what, patienceMs = PATIENCE_MS) {
  const end = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
    await delay(50);
  }
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function removeScratch(directory) {
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
