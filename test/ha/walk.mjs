/**
 * Follows docs/guides/operating/cluster.md as an operator would, from the embedded database to a cluster after a failover, behind a pooler: `node
 * test/ha/walk.mjs <path of a pgbouncer of 1.21 or newer>`. The blocks of the page run unchanged except for hosts, ports and paths. After
 * the pooler is started, clients write continuously. The last line of output is "walk: N passed, N failed".
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { finish, promise } from '../../.ci/support/promises.mjs';
import {
  administratorOf,
  freePort,
  makeScratch,
  ownedCommand,
  Product,
  removeScratch,
  until,
} from '../../.ci/support/servers.mjs';
import { childrenOf, OWNER, POSTGRES, readPid, signalPid } from './processes.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP_KEY = 'a key for acceptance runs, long enough';
const PASSWORD = 'sturdy walnut 47';
const RECORDS = 10_000;
const ACCOUNTS = 20;
const [pgbouncer] = process.argv.slice(2);
const scratch = makeScratch();
const [dataDir, first, second, bouncer] = ['data-service', 'first', 'second', 'pgbouncer'].map((name) =>
  join(scratch, name),
);
const [firstPort, secondPort, poolPort] = [await freePort(), await freePort(), await freePort()];
const passwords = { LINTEL_PASSWORD: 'walnut-47', REPLICATOR_PASSWORD: 'walnut-48' };
const started = [];
let service;
let pooler;

function blocksOf(page, language) {
  const text = readFileSync(join(ROOT, `docs/guides/operating/${page}.md`), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block);
}

/** Adapts a text of the page to this machine. */
function here(text) {
  return text
    .replaceAll('host=db1 port=5432', `host=127.0.0.1 port=${firstPort}`)
    .replaceAll('host=db2 port=5432', `host=127.0.0.1 port=${secondPort}`)
    .replaceAll('/etc/pgbouncer/', `${bouncer}/`)
    .replaceAll('6432', String(poolPort));
}

/** Runs a block in a shell, and returns its output. `owned` runs it as the user of PostgreSQL. Lines `# …` show the expected output. */
function run(block, { env = {}, owned = false } = {}) {
  const npm = `npm() { shift 3; node '${join(ROOT, 'dist/program/cli.js')}' "$@"; }`;
  const script = `set -euo pipefail\n${npm}\n${here(block)}`;
  const [program, ...args] = owned ? ownedCommand('bash', ['-c', script]) : ['bash', '-c', script];
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: scratch,
    encoding: 'utf8',
    env: {
      PATH: `${POSTGRES}:${process.env.PATH}`,
      HOME: scratch,
      LC_ALL: 'C.UTF-8',
      PRIMARY: `postgres://postgres@127.0.0.1:${firstPort}`,
      STANDBY_DATA: second,
      ...passwords,
      ...env,
    },
  });
  if (status !== 0) throw new Error(`${block}\nended with ${status}: ${stdout}${stderr}`);
  const printed = stdout.split('\n').filter((line) => line !== '');
  for (const [at, [, shown]] of [...block.matchAll(/^# (.*)$/gm)].entries()) {
    const pattern = shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    if (!new RegExp(`^${pattern}$`).test(printed[at] ?? ''))
      throw new Error(`the command printed ${printed[at]}, not ${shown}`);
  }
  return printed;
}

/** Runs commands of the service on its data. */
const cli = (block, env = {}) => run(block, { env: { DATA_DIR: dataDir, APP_KEY, ...env } });
const start = async (env = {}) => {
  const product = await Product.start(scratch, 'service', { LOG_LEVEL: 'info', APP_URL: 'http://lintel.test', ...env });
  started.push(product);
  return product;
};
const stop = async () => {
  const code = await service.stop();
  if (code !== 0) throw new Error(`the service exited with ${code}: ${service.stderr}`);
};
async function right(method, path, token, body, headers) {
  const answer = await service.ask(method, path, body, token, headers);
  if (answer.status === 0 || answer.status >= 300)
    throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
async function signIn(email = 'root@example.com') {
  return (await right('POST', '/api/auth/local/login', undefined, { login: email, password: PASSWORD })).token;
}
async function query(port, text) {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/lintel` });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Writes one record after another, each until it is acknowledged, and keeps the titles. */
class Writer {
  acknowledged = [];
  refusals = new Map();
  #over = false;
  #work;

  constructor(token, clients = 4) {
    this.#work = Promise.all(Array.from({ length: clients }, (_, client) => this.#write(token, client)));
  }

  async stop() {
    this.#over = true;
    await this.#work;
  }

  async #write(token, client) {
    for (let turn = 0; !this.#over; turn += 1) {
      const title = `meanwhile ${client} ${turn}`;
      for (;;) {
        const { status } = await service.ask('POST', '/api/content/notes', { title }, token, {
          'idempotency-key': title.replaceAll(' ', '-'),
        });
        if (status === 201) break;
        this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
        await delay(100);
      }
      this.acknowledged.push(title);
      await delay(10);
    }
  }
}

const [backup] = blocksOf('backups', 'sh');
const moving = blocksOf('moving-data', 'sh');
const [roles, standby, synchronous, promotion, repoint] = blocksOf('cluster', 'sh');
const [ini] = blocksOf('cluster', 'ini');

try {
  service = await start({ BACKUP_SCHEDULE: '1d' });
  const root = await administratorOf(service);
  await promise(`a service on the embedded database, with ${ACCOUNTS} accounts and ${RECORDS} records`, async () => {
    const fields = [{ name: 'title', type: 'string' }];
    await right('POST', '/api/schema', root, { name: 'note', namespace: 'notes', label_field: 'title', fields });
    for (let at = 0; at < ACCOUNTS; at += 1) await right('POST', '/api/auth/local/register', undefined, person(at));
    for (let at = 0; at < RECORDS; at += 100)
      await right(
        'POST',
        '/api/content/notes',
        root,
        Array.from({ length: 100 }, (_, more) => ({ title: `note ${at + more}` })),
      );
  });

  await promise('1. a server with its roles', async () => {
    mkdirSync(bouncer);
    if (OWNER.uid !== undefined) chownSync(bouncer, OWNER.uid, OWNER.gid);
    run(`initdb -D ${first} -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null`, { owned: true });
    // These addresses depend on this machine. The standby copies this configuration.
    appendFileSync(
      join(first, 'postgresql.conf'),
      `unix_socket_directories = '${scratch}'\nlisten_addresses = '127.0.0.1'\n`,
    );
    run(`pg_ctl -D ${first} -w -l ${first}.log start >/dev/null`, { owned: true, env: { PGPORT: String(firstPort) } });
    run(roles);
  });

  await promise('2. a backup, and the move', async () => {
    cli(backup);
    await stop();
    const url = `postgres://lintel:${passwords.LINTEL_PASSWORD}@127.0.0.1:${firstPort}/lintel`;
    if (moving.length === 0) throw new Error('the page does not describe how data are moved');
    for (const block of moving) cli(block, { NEW_DATABASE_URL: url });
    service = await start({ DATABASE_URL: url });
    await counted(firstPort, 0);
  });

  await promise('3. a pooler', async () => {
    writeFileSync(join(bouncer, 'pgbouncer.ini'), here(ini));
    writeFileSync(join(bouncer, 'userlist.txt'), `"lintel" "${passwords.LINTEL_PASSWORD}"\n`);
    const [program, ...args] = ownedCommand(pgbouncer, ['-q', join(bouncer, 'pgbouncer.ini')]);
    pooler = spawn(program, args, { stdio: 'ignore' });
    await stop();
    service = await start({
      DATABASE_URL: `postgres://lintel:${passwords.LINTEL_PASSWORD}@127.0.0.1:${poolPort}/lintel`,
    });
    await counted(firstPort, 0);
  });

  const token = await signIn();
  const writer = new Writer(token);
  await until(() => writer.acknowledged.length > 20, 'some records');
  await promise('4. a standby that must confirm each write', async () => {
    run(standby, { owned: true, env: { PGPORT: String(secondPort) } });
    await until(
      async () => (await query(firstPort, `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`)).length > 0,
      'the standby',
    );
    run(synchronous);
    const before = writer.acknowledged.length;
    await until(() => writer.acknowledged.length > before + 50, 'records that the standby has');
  });

  await promise('5. a failover that loses and repeats no acknowledged write', async () => {
    const postmaster = readPid(join(first, 'postmaster.pid'));
    for (const pid of [postmaster, ...childrenOf(postmaster)]) signalPid(pid, 'SIGKILL');
    const began = performance.now();
    await until(() => writer.refusals.size > 0, 'refusals');
    run(promotion, { owned: true });
    run(repoint);
    const before = writer.acknowledged.length;
    await until(() => writer.acknowledged.length > before + 50, 'records on the new primary');
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    await writer.stop();
    const refusals = [...writer.refusals].map(([status, count]) => `${count} times ${status}`).join(', ');
    console.log(
      `     ${writer.acknowledged.length} records meanwhile; ${seconds} s from the loss to 50 more; refused ${refusals}`,
    );
    const wrong = [...writer.refusals.keys()].filter((status) => status !== 503);
    if (wrong.length > 0) throw new Error(`unexpected responses: ${wrong.join(', ')}`);
    const found = await query(
      secondPort,
      `SELECT title, count(*)::int AS count FROM notes WHERE title LIKE 'meanwhile %' GROUP BY 1`,
    );
    const times = new Map(found.map(({ title, count }) => [title, count]));
    const lost = writer.acknowledged.filter((title) => !times.has(title));
    const doubled = found.filter(({ count }) => count > 1);
    if (lost.length + doubled.length > 0) throw new Error(`${lost.length} lost, ${doubled.length} doubled`);
    await counted(secondPort, writer.acknowledged.length);
  });

  await promise('users sign in with their passwords, and the audit log is complete', async () => {
    for (let at = 0; at < ACCOUNTS; at += 1) await signIn(person(at).email);
    const again = await signIn();
    await right('PUT', '/api/schema/note', again, {
      name: 'note',
      namespace: 'notes',
      label_field: 'title',
      fields: [
        { name: 'title', type: 'string' },
        { name: 'more', type: 'int', optional: true },
      ],
    });
    cli('npm run cli -- audit:verify >/dev/null', {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${secondPort}/lintel`,
    });
    await stop();
  });
} catch (error) {
  await promise('no step throws', () => Promise.reject(error));
} finally {
  await Promise.all(started.map((product) => product.stop()));
  pooler?.kill();
  for (const data of [first, second])
    spawnSync(...commandOf(['pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop']), { cwd: scratch });
  await delay(500);
  removeScratch(scratch);
}
finish('walk');

function commandOf([program, ...args]) {
  const [head, ...rest] = ownedCommand(join(POSTGRES, program), args);
  return [head, rest];
}

function person(at) {
  const email = `person${at}@example.com`;
  return { email, password: PASSWORD, password_confirmation: PASSWORD };
}

/** Checks that no record or account is missing, in the database or in the API. */
async function counted(port, more) {
  const [{ notes, accounts }] = await query(
    port,
    `SELECT (SELECT count(*)::int FROM notes) AS notes, (SELECT count(*)::int FROM users WHERE email LIKE 'person%') AS accounts`,
  );
  const token = await signIn();
  const { data } = await right('GET', '/api/content/notes?limit=1&count=exact', token);
  const [all, counted] = [RECORDS + more, data.total];
  if (accounts !== ACCOUNTS || notes < all || counted !== notes)
    throw new Error(
      `${notes} records in the database, ${counted} counted by the API, ${all} acknowledged; ${accounts} accounts`,
    );
}
