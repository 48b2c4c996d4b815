/**
 * Runs the built product behind PgBouncer in transaction mode: `node .ci/pooled.mjs <path of pgbouncer 1.21 or newer> [path of an older
 * one]`. Two new instances migrate concurrently, schemas change under load, long statements are cancelled, and sessions keep no state. A
 * pooler that confuses prepared statements is rejected. The last line is "pooled: N passed, N failed".
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finish, promise } from './support/promises.mjs';
import {
  administratorOf,
  freePort,
  makeScratch,
  ownedCommand,
  Postgres,
  Product,
  removeScratch,
  until,
} from './support/servers.mjs';

const [newer, older] = process.argv.slice(2);
/** Rounds in which two instances migrate an empty database concurrently. */
const ROUNDS = 2;
const scratch = makeScratch();
const products = [];
const poolers = [];
let server;

try {
  server = await Postgres.create(scratch, 'server');
  const port = await pool(newer, 'new');

  await promise('two new instances migrate concurrently, and both start', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await emptyDatabase(port, `migrated${round}`);
      const pair = await Promise.all([start(`one${round}`, url), start(`other${round}`, url)]);
      await Promise.all(pair.map((one) => one.stop()));
    }
  });

  const url = await emptyDatabase(port, 'lintel');
  const pair = [await start('one', url), await start('other', url)];
  const token = await administratorOf(...pair);
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'count', type: 'int' },
  ];
  await right(pair[0], 'POST', '/api/schema', { name: 'note', namespace: 'notes', label_field: 'title', fields });

  await promise('concurrent requests are answered correctly by both', async () => {
    await until(async () => (await ask(1, 'GET', '/api/content/notes')).status === 200, 'the other to know the schema');
    await Promise.all(
      Array.from({ length: 12 }, async (_, client) => {
        for (let turn = 0; turn < 25; turn += 1) {
          const title = `${client} ${turn}`;
          const { body } = await right(pair[turn % 2], 'POST', '/api/content/notes', { title, count: turn });
          const found = await right(pair[(turn + 1) % 2], 'GET', `/api/content/notes/${body.data.id}`);
          if (found.body.data.title !== title) throw new Error(`${JSON.stringify(found.body)} is not ${title}`);
        }
      }),
    );
  });

  await promise('concurrent schema changes on both run in turn, without a timeout', async () => {
    const begin = performance.now();
    const load = Array.from({ length: 4 }, async (_, client) => {
      for (let turn = 0; turn < 40; turn += 1) await right(pair[client % 2], 'GET', '/api/content/notes?limit=5');
    });
    const changes = Array.from({ length: 12 }, (_, index) =>
      right(pair[index % 2], 'POST', '/api/schema', {
        name: `kind${index}`,
        namespace: `kinds${index}`,
        label_field: 'title',
        fields: [{ name: 'title', type: 'string', unique: index % 2 === 0 }],
      }),
    );
    await Promise.all([...changes, ...load]);
    const took = performance.now() - begin;
    if (took > 25_000) throw new Error(`the changes took ${Math.round(took)} ms`);
  });

  await promise('an index is built outside of a transaction, under load', async () => {
    const indexed = {
      name: 'note',
      namespace: 'notes',
      label_field: 'title',
      fields,
      db: { indexes: [{ columns: ['count'] }] },
    };
    await right(pair[1], 'PUT', '/api/schema/note', indexed);
    const rows = await server.sql(
      `SELECT 1 FROM pg_indexes WHERE tablename = 'notes' AND indexdef LIKE '%count%'`,
      'lintel',
    );
    if (rows.length === 0) throw new Error('the index is missing');
  });

  await promise('a session revoked on one is revoked on the other within a second', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await pair[0].ask('POST', '/api/auth/local/login', {
        login: 'root@example.com',
        password: 'sturdy walnut 47',
      });
      await until(
        async () => (await pair[1].ask('GET', '/api/auth/me', undefined, body.token)).status === 200,
        'the token',
      );
      await pair[0].ask('POST', '/api/auth/logout', undefined, body.token);
      await until(
        async () => (await pair[1].ask('GET', '/api/auth/me', undefined, body.token)).status === 401,
        'the revocation to apply',
        1_000,
      );
    }
  });

  await promise('a statement that waits too long is cancelled, and returns 503', async () => {
    const holder = await server.connect('lintel');
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
    const begin = performance.now();
    const answers = await Promise.all([
      ask(0, 'GET', '/api/content/notes'),
      ask(1, 'POST', '/api/content/notes', { title: 'x', count: 1 }),
    ]);
    const took = performance.now() - begin;
    await holder.query('ROLLBACK');
    await holder.end();
    const outcomes = answers.map(({ status, body }) => `${status} ${body?.data?.error}`);
    if (took > 20_000 || outcomes.some((one) => !/^503 (query_timeout|server_busy)$/.test(one)))
      throw new Error(`${outcomes.join(', ')} after ${Math.round(took)} ms`);
    const waiting = await server.sql(`SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    if (waiting.length > 0) throw new Error('a statement is still waiting');
    for (const one of pair) await right(one, 'GET', '/api/content/notes');
  });

  await promise('leaves no lock, setting or channel in a session', async () => {
    await delay(500);
    const locks = await server.sql(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`);
    if (locks.length > 0) throw new Error(`${locks.length} advisory locks remain`);
    const pooled = await server.connect('lintel', port);
    for (let turn = 0; turn < 20; turn += 1) {
      const { rows } = await pooled.query(`SELECT name, setting FROM pg_settings WHERE source = 'session'
        AND name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'search_path')`);
      const { rows: channels } = await pooled.query('SELECT pg_listening_channels() AS channel');
      if (rows.length + channels.length > 0) throw new Error(JSON.stringify([...rows, ...channels]));
    }
    await pooled.end();
  });

  await promise('both stop cleanly, and have logged no error', async () => {
    for (const one of pair) {
      const code = await one.stop();
      const [line] = one.stdout.split('\n').filter((text) => /"level":(50|60)/.test(text));
      if (code !== 0 || line !== undefined) throw new Error(`the process exited with ${code}: ${line ?? one.stderr}`);
    }
  });

  if (older !== undefined)
    await promise('a pooler without support for prepared statements is rejected with one message', async () => {
      const behind = await pool(older, 'old');
      const refused = new Product(scratch, 'refused', {
        PORT: String(await freePort()),
        DATABASE_URL: await emptyDatabase(behind, 'refused'),
      });
      const code = await refused.exit;
      if (code !== 1 || refused.stderr.trim().split('\n').length > 2 || !/[Pp]ooler|PgBouncer/.test(refused.stderr))
        throw new Error(`the process exited with ${code}: ${refused.stderr}`);
    });

  async function right(one, method, path, body) {
    const answer = await one.ask(method, path, body, token);
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  function ask(index, method, path, body) {
    return pair[index].ask(method, path, body, token);
  }
} finally {
  await Promise.all(products.map((one) => one.stop()));
  for (const pooler of poolers) pooler.kill('SIGTERM');
  server?.stop();
  removeScratch(scratch);
}
finish('pooled');

/** Starts a pooler with default settings except for its mode, and returns its port. */
async function pool(path, name) {
  const port = await freePort();
  const file = join(scratch, `${name}.ini`);
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=lintel
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
`,
  );
  const [program, ...args] = ownedCommand(path, ['-q', file]);
  const pooler = spawn(program, args, { stdio: 'ignore' });
  poolers.push(pooler);
  await until(async () => {
    try {
      await (await server.connect('postgres', port)).end();
      return true;
    } catch {
      return false;
    }
  }, 'the pooler');
  return port;
}

async function emptyDatabase(port, name) {
  await server.sql(`CREATE DATABASE ${name}`);
  return `postgres://lintel@127.0.0.1:${port}/${name}`;
}

async function start(name, url) {
  const product = new Product(scratch, name, {
    PORT: String(await freePort()),
    DATABASE_URL: url,
    LOG_LEVEL: 'warn',
    APP_URL: 'http://lintel.test',
  });
  products.push(product);
  await product.ready();
  return product;
}
