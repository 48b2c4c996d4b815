/**
 * Runs the built product under load on a replicated PostgreSQL. The database fails over twice within a minute, becomes read-only and
 * recovers. No response may be 500, no process may exit, and no acknowledged write may be lost. The last line is "outages: N passed, N
 * failed".
 */
import { setTimeout as delay } from 'node:timers/promises';
import { finish, promise } from './support/promises.mjs';
import { administratorOf, freePort, makeScratch, Postgres, Product, removeScratch, until } from './support/servers.mjs';

const PASSWORD = 'sturdy walnut 47';
const PASSING = ['database_unavailable', 'server_busy', 'query_timeout', 'not_ready'];
/** Ends all other sessions, as a managed service does after a setting change. */
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lintel' AND pid <> pg_backend_pid()`;
const WAIT_FOR_STANDBY = [`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()'];
const scratch = makeScratch();
const servers = [];
const products = [];
let statuses = {};
const acknowledged = new Set();
const faults = [];
let loading = true;
let token = '';
let product;

try {
  const first = await keep(await Postgres.create(scratch, 'first', { wal_level: 'replica' }));
  await first.sql('CREATE DATABASE lintel');
  const second = await keep(await first.replicate('second'));

  await promise('a standby prevents the start with one message', async () => {
    const alone = new Product(scratch, 'standby', {
      PORT: String(await freePort()),
      DATABASE_URL: second.url('lintel'),
    });
    const code = await alone.exit;
    const lines = alone.stderr.trim().split('\n');
    if (code !== 1 || lines.length > 2 || !/standby/.test(alone.stderr) || /^\s+at /m.test(alone.stderr))
      throw new Error(`the process exited with ${code}: ${alone.stderr}`);
  });

  // The standby's port comes first. The third port is for the server that is created later.
  const third = await freePort();
  const hosts = [second.port, first.port, third].map((port) => `127.0.0.1:${port}`).join(',');
  const DATABASE_URL = `postgres://lintel@${hosts}/lintel?target_session_attrs=read-write`;
  await promise('finds the primary among several servers', async () => {
    product = await Product.start(scratch, 'product', { DATABASE_URL, LOG_LEVEL: 'warn' });
    products.push(product);
    token = await administratorOf(product);
    const fields = [{ name: 'title', type: 'string', unique: true }];
    const made = await product.ask(
      'POST',
      '/api/schema',
      { name: 'note', namespace: 'notes', label_field: 'title', fields },
      token,
    );
    if (made.status !== 201)
      throw new Error(`creating the schema returned ${made.status} ${JSON.stringify(made.body)}`);
  });
  await streaming(first);

  const load = Promise.all([writing(0), writing(1), reading(), signingIn(), registering(), altering()]);
  await promise('the first failover: 503 meanwhile, and no acknowledged write is lost', () => failOver(first, second));
  await promise('writes that no standby has confirmed are not acknowledged, for any way of writing', async () => {
    // The server that waits for a standby has none at this point.
    const unconfirmed = await second.connect('lintel');
    const { rows } = await unconfirmed.query('SELECT count(*)::int AS count FROM pg_stat_replication');
    await unconfirmed.end();
    if (rows[0].count !== 0) throw new Error('a standby is connected');
    await second.sql(WAIT_FOR_STANDBY);
    const body = { title: `unconfirmed ${performance.now()}` };
    const begin = performance.now();
    const headers = { 'idempotency-key': 'unconfirmed' };
    const answers = await Promise.all([
      product.ask('POST', '/api/content/notes', body, token),
      product.ask('POST', '/api/content/notes', { ...body, title: `${body.title} once` }, token, headers),
      product.ask(
        'POST',
        '/api/content/notes',
        [body, body].map(({ title }, at) => ({ title: `${title} ${at}` })),
        token,
      ),
    ]);
    const took = performance.now() - begin;
    const again = await product.ask(
      'POST',
      '/api/content/notes',
      { ...body, title: `${body.title} once` },
      token,
      headers,
    );
    await second.sql(['ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()']);
    const outcomes = [...answers, again].map(({ status, body: { data } }) => `${status} ${data.error ?? ''}`);
    if (outcomes.some((one) => !one.startsWith('503')) || took > 20_000)
      throw new Error(`${outcomes.join(', ')} after ${Math.round(took)} ms`);
    const repeated = await product.ask(
      'POST',
      '/api/content/notes',
      { ...body, title: `${body.title} once` },
      token,
      headers,
    );
    if (repeated.status !== 201) throw new Error(`the retry with its key returned ${repeated.status}`);
  });
  let replacement;
  await promise('the second failover, within a minute', async () => {
    replacement = await keep(await second.replicate('third', third));
    await streaming(second);
    await failOver(second, replacement);
  });
  await promise(
    'a database that becomes read-only returns 503 for writes and is not ready, and then recovers',
    async () => {
      await replacement.sql(['ALTER DATABASE lintel SET default_transaction_read_only = on', END_SESSIONS]);
      await until(async () => (await product.ask('GET', '/readyz')).status === 503, '/readyz to be 503');
      statuses = {};
      await delay(3_000);
      // With `target_session_attrs=read-write` no server is accepted, not even for reads.
      if (statuses[503] === undefined) throw new Error(`responses while it was read-only: ${JSON.stringify(statuses)}`);
      await replacement.sql(['ALTER DATABASE lintel RESET default_transaction_read_only', END_SESSIONS]);
      await recovered();
    },
  );
  await promise('the same, set for the whole server without closing sessions', async () => {
    await replacement.sql(['ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()']);
    await until(async () => (await product.ask('GET', '/readyz')).status === 503, '/readyz to be 503');
    await delay(2_000);
    await replacement.sql([
      'SET default_transaction_read_only = off',
      'ALTER SYSTEM RESET default_transaction_read_only',
      'SELECT pg_reload_conf()',
    ]);
    await recovered();
  });
  loading = false;
  await load;
  await promise('stops cleanly, with an empty standard error', async () => {
    const code = await product.stop();
    if (code !== 0 || product.stderr !== '') throw new Error(`the process exited with ${code}: ${product.stderr}`);
    const logged = product.stdout.split('\n').filter((line) => /"level":(50|60)/.test(line));
    if (logged.length > 0) throw new Error(`the process logged ${logged.length} errors: ${logged[0]}`);
  });
  console.log(`     ${acknowledged.size} records were acknowledged`);
} finally {
  loading = false;
  await Promise.all(products.map((one) => one.stop()));
  for (const server of servers) server.stop();
  removeScratch(scratch);
}
finish('outages');

async function keep(server) {
  servers.push(server);
  return server;
}

/** Waits until a standby is streaming, then enables synchronous replication. */
async function streaming(server) {
  await until(async () => {
    const rows = await server.sql(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
    return rows.length === 1;
  }, 'a standby');
  await server.sql(WAIT_FOR_STANDBY);
}

async function failOver(from, to) {
  statuses = {};
  from.stop('immediate');
  await delay(1_000);
  to.promote();
  await recovered();
  console.log(`     responses: ${JSON.stringify(statuses)}`);
  if (statuses[503] === undefined || statuses[201] === undefined)
    throw new Error('the outage did not begin or did not end');
}

/** Waits until everything works again: all kinds of requests, the earlier token, and every acknowledged record. */
async function recovered() {
  await until(async () => (await product.ask('GET', '/readyz')).status === 200, '/readyz to be 200', 20_000);
  await delay(1_000);
  const me = await product.ask('GET', '/api/auth/me', undefined, token);
  if (me.status !== 200) throw new Error(`me returned ${me.status}`);
  const made = await product.ask('POST', '/api/content/notes', { title: `after ${performance.now()}` }, token);
  if (made.status !== 201) throw new Error(`a new record returned ${made.status}`);
  // More records are acknowledged while this reads.
  const due = [...acknowledged];
  const found = new Set();
  for (let cursor = ''; cursor !== null;) {
    const { body } = await product.ask(
      'GET',
      `/api/content/notes?select=title&limit=100&cursor=${cursor}`,
      undefined,
      token,
    );
    for (const { title } of body.data.items) found.add(title);
    cursor = body.data.next_cursor;
  }
  const lost = due.filter((title) => !found.has(title));
  if (lost.length > 0) throw new Error(`${lost.length} of ${due.length} acknowledged records are lost`);
  if (faults.length > 0) throw new Error(`${faults.length} responses were neither correct nor 503: ${faults[0]}`);
  if (product.code !== null) throw new Error(`the process exited with ${product.code}`);
}

async function repeatedly(pauseMs, ask) {
  for (let turn = 0; loading; turn += 1) {
    const { status, body } = await ask(turn);
    if (loading || status !== 0) note(status, body);
    await delay(pauseMs);
  }
}

function note(status, body) {
  statuses[status] = (statuses[status] ?? 0) + 1;
  const isWell = status === 200 || status === 201 || (status === 503 && PASSING.includes(body?.data?.error));
  // After a lost response, the retry may find the account that the first attempt created.
  if (!isWell && body?.data?.error !== 'email_taken') faults.push(`${status} ${JSON.stringify(body)}`);
}

function writing(writer) {
  return repeatedly(5, async (turn) => {
    const titles = turn % 3 === 0 ? ['a', 'b', 'c'].map((part) => `${writer} ${turn} ${part}`) : [`${writer} ${turn}`];
    const body = titles.map((title) => ({ title }));
    const answer = await product.ask('POST', '/api/content/notes', body.length === 1 ? body[0] : body, token);
    if (answer.status === 201) titles.forEach((title) => acknowledged.add(title));
    return answer;
  });
}

function reading() {
  return repeatedly(5, () => product.ask('GET', '/api/content/notes?limit=20', undefined, token));
}

function signingIn() {
  return repeatedly(100, () =>
    product.ask('POST', '/api/auth/local/login', { login: 'root@example.com', password: PASSWORD }),
  );
}

function registering() {
  return repeatedly(150, (turn) =>
    product.ask('POST', '/api/auth/local/register', {
      email: `person${turn}@example.com`,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    }),
  );
}

function altering() {
  return repeatedly(700, (turn) => {
    const fields = [{ name: 'title', type: 'string' }];
    return product.ask(
      'POST',
      '/api/schema',
      { name: `kind${turn}`, namespace: `kinds${turn}`, label_field: 'title', fields },
      token,
    );
  });
}
