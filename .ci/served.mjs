/**
 * Starts the product with the given command in an empty data directory. Registers, signs in, reads `me`, signs out and checks error
 * responses. Then stops the product and restarts it to find the data again. The last line is "served: N passed, N failed".
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finish, promise } from './support/promises.mjs';

const command = process.argv[2] ?? 'npm start';
const START_MS = 240_000;
const STOP_MS = 20_000;
const person = { email: 'ann@example.com', password: 'sturdy walnut 47' };

const dataDir = mkdtempSync(join(tmpdir(), 'lintel-served-'));
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir };
let service = null;
for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, () => {
    if (service !== null) signal('SIGTERM');
    process.exit(1);
  });
}

try {
  await promise(`answers at /readyz after \`${command}\``, () => start(command));
  await promise('registers an account', async () => {
    const answer = await post('/api/auth/local/register', { ...person, password_confirmation: person.password });
    expect(answer, 201, (body) => body.data.activation === 'auto');
  });
  await promise('rejects the same address again', async () => {
    const answer = await post('/api/auth/local/register', { ...person, password_confirmation: person.password });
    expect(answer, 400, isError('email_taken'));
  });
  await promise('names missing fields', async () =>
    expect(await post('/api/auth/local/register', {}), 422, isError('validation_failed')),
  );
  await promise('rejects a wrong password', async () => {
    const answer = await post('/api/auth/local/login', { login: person.email, password: 'not the one' });
    expect(answer, 401, isError('invalid_credentials'));
  });
  await promise('rejects `me` without a token', async () =>
    expect(await get('/api/auth/me'), 401, isError('token_missing')),
  );
  let token = '';
  await promise('signs in', async () => {
    token = await signIn();
  });
  await promise('answers `me`', async () =>
    expect(await get('/api/auth/me', token), 200, (body) => body.email === person.email && body.activated === true),
  );
  await promise('signs out, and the token is invalid', async () => {
    expect(await post('/api/auth/logout', undefined, token), 200);
    expect(await get('/api/auth/me', token), 401, isError('token_invalid'));
  });
  await promise('returns the envelope for an unknown route', async () =>
    expect(await get('/nowhere'), 404, (body) => body.code === '404' && body.data.error === 'route_not_found'),
  );
  await promise('stops on SIGTERM', stop);
  await promise('finds the account again after a second start', async () => {
    await start('npm start');
    await signIn();
  });
  await promise('stops again', stop);
} finally {
  if (service !== null) signal('SIGKILL');
  await delay(1_000);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
finish('served');

async function start(text) {
  service = spawn('bash', ['-c', text], { env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  let ended = false;
  service.once('exit', () => (ended = true));
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (ended) throw new Error('the command exited');
    const ready = await fetch(`${base}/readyz`).catch(() => null);
    if (ready?.status === 200) return;
    await delay(100);
  }
  throw new Error(`not ready after ${START_MS / 1_000} s`);
}

/** Stops the group and waits until no process is left and the port no longer responds. */
async function stop() {
  signal('SIGTERM');
  const deadline = Date.now() + STOP_MS;
  while (livingOfGroup(service.pid)) {
    if (Date.now() > deadline) throw new Error(`still running after ${STOP_MS / 1_000} s`);
    await delay(50);
  }
  service = null;
  if ((await fetch(base).catch(() => null)) !== null) throw new Error('the port still accepts connections');
}

function signal(name) {
  try {
    process.kill(-service.pid, name);
  } catch {
    // The group has already ended.
  }
}

/** Returns whether a process of the group is running; zombies do not count. */
function livingOfGroup(group) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        const [state, , processGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
        return processGroup === String(group) && state !== 'Z' && state !== 'X';
      } catch {
        return false;
      }
    });
}

async function signIn() {
  const answer = await post('/api/auth/local/login', { login: person.email, password: person.password });
  expect(answer, 200, (body) => typeof body.token === 'string' && !Number.isNaN(Date.parse(body.expires)));
  return answer.body.token;
}

function get(path, token) {
  return ask(path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
}

function post(path, body, token) {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return ask(path, { method: 'POST', headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

async function ask(path, options) {
  const response = await fetch(base + path, options);
  return { status: response.status, body: await response.json() };
}

function isError(code) {
  return (body) => body.data?.error === code;
}

function expect(answer, status, check = () => true) {
  if (answer.status !== status || !check(answer.body)) {
    throw new Error(`expected ${status}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address.port));
    });
  });
}
