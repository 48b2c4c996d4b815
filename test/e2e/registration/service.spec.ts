import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/mailbox.js';
import { PASSWORD } from '../../support/people.js';
import { createDatabase } from '../../support/test-server.js';
import { dataDirectory, removeDataDirectories, writeFiles } from './support/data-directory.js';
import { runCommand, type Service, startService } from './support/product.js';

const ENV = { AUTH_REG_BLOCKED_DOMAINS: 'blocked.example', AUTH_REG_RESERVED_USERNAMES: 'boss', DATABASE_URL: '' };

/** The plugins of `docs/guides/extending/plugins.md`. */
const PAGE = readFileSync(join(__dirname, '../../../docs/guides/extending/plugins.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/```js\n(.*?)```/gs)].map(([, block = '']) => block);
const [PLUGIN = '', STOCK = ''] = BLOCKS.filter((block) => block.includes('export default'));
const ORDER = {
  name: 'order',
  namespace: 'orders',
  label_field: 'item',
  fields: [
    { type: 'string', name: 'item' },
    { type: 'int', name: 'amount' },
    { type: 'string', name: 'note', optional: true },
  ],
};
const FAULTY = `export default (app) => {
  app.onPreUserRegister((input) => { if (input.email.startsWith('crash@')) input.provider = 'google'; });
  app.afterWrite('order', ({ after }) => { if (after?.item === 'crash') after.nothing.at(0); });
  app.afterCommit('order', ({ after }) => { if (after?.item === 'late') after.nothing.at(0); }, { order: -1 });
};`;

interface Answer {
  readonly token?: string;
  readonly data?: { readonly id?: string; readonly error?: string };
}

describe('the service with a plugin', () => {
  let service: Service;
  let dataDir: string;
  let drop: () => Promise<void>;

  const register = async (fields: Record<string, unknown>) => {
    const response = await fetch(`${service.url}/api/auth/local/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD, password_confirmation: PASSWORD, ...fields }),
    });
    return { status: response.status, body: (await response.json()) as { message?: string; data: { error?: string } } };
  };

  beforeAll(async () => {
    dataDir = dataDirectory({
      'plugins/no-robots/plugin.js': PLUGIN,
      'plugins/stock/plugin.js': STOCK,
      'plugins/faulty/plugin.js': FAULTY,
      'schemas/order.json': JSON.stringify(ORDER),
    });
    const database = await createDatabase();
    ({ drop } = database);
    ENV.DATABASE_URL = database.address.url;
    const started = await startService(dataDir, ENV);
    if (!('url' in started)) throw new Error(started.output);
    service = started;
  });

  afterAll(async () => {
    await service?.stop();
    removeDataDirectories();
    await drop?.();
  });

  it('calls it for each registration, after the policy', async () => {
    expect(await register({ email: 'bot@example.com' })).toEqual({
      status: 400,
      body: { code: '400', message: 'No robots, please.', data: { error: 'registration_rejected' } },
    });
    expect(await register({ email: 'ann@example.com', username: 'root' })).toEqual({
      status: 400,
      body: { code: '400', message: 'Not root.', data: { error: 'username_reserved' } },
    });
    expect((await register({ email: 'bot@BLOCKED.example' })).body.data.error).toBe('email_domain_blocked');
    expect((await register({ email: 'ann@example.com', username: 'Boss' })).body.data.error).toBe('username_reserved');
    expect((await register({ email: 'ann@example.com' })).status).toBe(201);
    const login = await fetch(`${service.url}/api/auth/local/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'guest-ann', password: PASSWORD }),
    });
    expect(login.status).toBe(200);
  });

  it('names it in the log if it throws', async () => {
    expect((await register({ email: 'crash@example.com' })).body.data.error).toBe('internal_error');
    const line = 'The pre-registration hook plugins/faulty/plugin.js (1) caused the error.';
    await until(() => service.output().includes(line), 'the line in the log');
  });

  it('lets an administrator create any account without policy and plugin', async () => {
    const made = await runCommand(
      dataDir,
      ['admin:create', '--email', 'bot@blocked.example', '--username', 'boss', '--password', PASSWORD, '--json'],
      ENV,
    );
    expect(made.code).toBe(0);
    expect(JSON.parse(made.output)).toMatchObject({ email: 'bot@blocked.example', username: 'boss' });
  });

  it('calls it for writes: it changes values, rejects with its own error, and receives commits', async () => {
    const send = async (path: string, body: object, token?: string, method = 'POST') => {
      const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { 'content-type': 'application/json', ...authorization };
      const request = { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${service.url}${path}`, request);
      return { status: response.status, body: (await response.json()) as Answer };
    };
    const { body } = await send('/api/auth/local/login', { login: 'boss', password: PASSWORD });
    const { token } = body;
    const order = (data: object) => send('/api/content/order', data, token);

    const made = await order({ item: 'chair', amount: 9 });
    expect(made).toMatchObject({ status: 201, body: { data: { item: 'chair', note: 'checked' } } });
    const id = made.body.data?.id;
    await until(() => service.output().includes(`create of order ${id}`), 'what the plugin prints');

    const refusal = {
      status: 409,
      body: { code: '409', message: 'There are not so many left.', data: { error: 'acme_sold_out' } },
    };
    expect(await order({ item: 'chair', amount: 10 })).toEqual(refusal);
    expect(
      await order([
        { item: 'desk', amount: 1 },
        { item: 'desk', amount: 10 },
      ]),
    ).toMatchObject({ status: 409 });
    expect(await send(`/api/content/order/${id}`, { amount: 11 }, token, 'PATCH')).toEqual(refusal);

    expect((await order({ item: 'crash', amount: 1 })).body.data?.error).toBe('internal_error');
    expect((await order({ item: 'late', amount: 1 })).status).toBe(201);
    await until(() => service.output().includes('"hook":"plugins/faulty/plugin.js (2)"'), 'the line in the log');
    const list = await fetch(`${service.url}/api/content/order`, { headers: { authorization: `Bearer ${token}` } });
    expect(await list.text()).not.toMatch(/desk|crash/);
  });

  it('does not start with a plugin that cannot be loaded, and names it', async () => {
    writeFiles(dataDir, { 'plugins/broken/plugin.js': 'export default (app) => { app.on("x") };' });
    const ended = await startService(dataDir, ENV);
    expect(ended).toMatchObject({ code: 1 });
    expect((ended as { output: string }).output).toContain(
      'The plugin plugins/broken/plugin.js cannot be loaded: TypeError: app.on is not a function.',
    );
  });
});
