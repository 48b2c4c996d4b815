import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/mailbox.js';
import { PASSWORD } from '../../support/people.js';
import { dataDirectory, removeDataDirectories, writeFiles } from './support/data-directory.js';
import { runCommand, type Service, startService } from './support/product.js';

const POLICY = { AUTH_REG_BLOCKED_DOMAINS: 'blocked.example', AUTH_REG_RESERVED_USERNAMES: 'boss' };

/** The plugin of `docs/extending.md`. */
const PAGE = readFileSync(join(__dirname, '../../../docs/extending.md'), 'utf8');
const PLUGIN = /```js\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
const FAULTY = `export default (app) => {
  app.onPreUserRegister((input) => { if (input.email.startsWith('crash@')) input.provider = 'google'; });
};`;

describe('the service with a plugin', () => {
  let service: Service;
  let dataDir: string;

  const register = async (fields: Record<string, unknown>) => {
    const response = await fetch(`${service.url}/api/auth/local/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD, password_confirmation: PASSWORD, ...fields }),
    });
    return { status: response.status, body: (await response.json()) as { message?: string; data: { error?: string } } };
  };

  beforeAll(async () => {
    dataDir = dataDirectory({ 'plugins/no-robots/plugin.js': PLUGIN, 'plugins/faulty/plugin.js': FAULTY });
    const started = await startService(dataDir, POLICY);
    if (!('url' in started)) throw new Error(started.output);
    service = started;
  }, 60_000);

  afterAll(async () => {
    await service?.stop();
    removeDataDirectories();
  }, 60_000);

  it('asks it about each sign-up, after the policy', async () => {
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

  it('names it in the log where it is at fault', async () => {
    expect((await register({ email: 'crash@example.com' })).body.data.error).toBe('internal_error');
    const line = 'The pre-registration hook plugins/faulty/plugin.js (1) is at fault.';
    await until(() => service.output().includes(line), 'the line in the log');
  });

  it('lets an administrator make any account: neither policy nor plugin is asked', async () => {
    const made = await runCommand(
      dataDir,
      ['admin:create', '--email', 'bot@blocked.example', '--username', 'boss', '--password', PASSWORD, '--json'],
      POLICY,
    );
    expect(made.code).toBe(0);
    expect(JSON.parse(made.output)).toMatchObject({ email: 'bot@blocked.example', username: 'boss' });
  }, 60_000);

  it('does not start with a plugin that cannot be loaded, and names it', async () => {
    writeFiles(dataDir, { 'plugins/broken/plugin.js': 'export default (app) => { app.on("x") };' });
    const ended = await startService(dataDir, POLICY);
    expect(ended).toMatchObject({ code: 1 });
    expect((ended as { output: string }).output).toContain(
      'The plugin plugins/broken/plugin.js cannot be loaded: TypeError: app.on is not a function.',
    );
  }, 60_000);
});
