import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { defineApp } from '../../../src/application/app-definition.js';
import { CONFIG, type Config } from '../../../src/platform/config/config.types.js';
import { CurrentAccount, Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../../src/kernel/principal.types.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { type TestApp, testApp, TestClock } from '../../../src/testing.js';
import { testServer } from '../../support/test-server.js';

@Controller('api/acme/soups')
class SoupsController {
  @Get()
  @Resource('acme.soups.list')
  list(@CurrentAccount() { email }: AccountPrincipal): object {
    return { of: email };
  }

  @Post()
  @Public()
  @RateLimit('general')
  order(@Body() body: object): object {
    return body;
  }
}

@Module({ controllers: [SoupsController] })
class SoupsModule {}

class PlainHasher extends PasswordHasher {
  hash(password: string): Promise<string> {
    return Promise.resolve(`plain:${password}`);
  }
  verify(hash: string | null, password: string): Promise<boolean> {
    return Promise.resolve(hash === `plain:${password}`);
  }
  needsRehash(): boolean {
    return false;
  }
}

/** A time in the year 2065. */
const LATER_MS = 3_000_000_000_000;
const START = new Date('2030-01-01T12:00:00Z');
const definition = defineApp({
  modules: [SoupsModule],
  resources: ['acme.soups.list'],
  roles: [{ role: 'cook', description: 'Cooks.', allow: ['acme.soups.list'] }],
});

describe('an application for tests', () => {
  let app: TestApp;

  beforeAll(async () => {
    // The sources do not start the embedded server automatically: see test/e2e/package.
    process.env['TEST_DATABASE_URL'] = testServer().address.url;
    app = await testApp(definition, { clock: START });
  });
  afterAll(() => app?.close());

  it('creates signed-in accounts with their roles', async () => {
    const [user, cook] = [await app.account(), await app.account({ email: 'cook@example.com', roles: ['cook'] })];
    const soups = (token?: string): Promise<Response> =>
      app.fetch('/api/acme/soups', token === undefined ? {} : { token });
    expect((await soups()).status).toBe(401);
    expect((await soups(user.token)).status).toBe(403);
    expect(await (await soups(cook.token)).json()).toEqual({ of: 'cook@example.com' });
    const login = { login: user.email, password: user.password };
    expect((await app.fetch('/api/auth/local/login', { json: login })).status).toBe(200);
    expect((await soups(await app.signIn(cook.email))).status).toBe(200);
  });

  it('rejects an unknown role', async () => {
    await expect(app.account({ email: 'nobody@example.com', roles: ['user', 'baker'] })).rejects.toThrow(
      'The role baker does not exist.',
    );
    await expect(app.signIn('nobody@example.com')).rejects.toThrow(
      'No account has the e-mail address nobody@example.com.',
    );
  });

  it('sends JSON and other request options', async () => {
    const { token, email } = await app.account({ roles: ['cook'] });
    const headers = { authorization: `Bearer ${token}` };
    expect(await (await app.fetch('/api/acme/soups', { headers })).json()).toEqual({ of: email });
    expect((await app.fetch('/api/acme/soups', { json: {} })).status).toBe(201);
    expect((await app.fetch('/api/acme/soups', { json: {}, method: 'PUT' })).status).toBe(405);
  });

  it('has a manual clock', async () => {
    const { token } = await app.account();
    expect(app.clock.nowMs() - START.getTime()).toBeLessThan(60_000);
    expect((await app.fetch('/api/auth/me', { token })).status).toBe(200);
    app.clock.advance(8 * 86_400);
    expect(await (await app.fetch('/api/auth/me', { token })).json()).toMatchObject({
      data: { error: 'token_expired' },
    });
    app.clock.set(START);
    expect((await app.fetch('/api/auth/me', { token })).status).toBe(200);
  });

  it('collects its mails', async () => {
    const { email } = await app.account({ email: 'dora@example.com' });
    await app.account();
    expect(await app.mails()).toEqual([]);
    await app.fetch('/api/auth/local/recover', { json: { email } });
    const [mail, ...others] = await app.mails(email);
    expect(mail).toMatchObject({
      to: email,
      links: [expect.stringMatching(/^http:\/\/lintel\.test\//), expect.anything()],
    });
    expect(others).toEqual([]);
    expect(await app.mails('nobody@example.com')).toEqual([]);
  });

  it('ignores the environment of the process, and receives the settings of its test', async () => {
    process.env['APP_NAME'] = 'of the process';
    try {
      await using other = await testApp(
        { ...definition, ports: { passwordHasher: PlainHasher } },
        { env: { APP_NAME: 'Soups' }, clock: app.clock },
      );
      const { appName } = other.get(CONFIG as never) as Config;
      expect([appName, other.clock === app.clock]).toEqual(['Soups', true]);
      const { id } = await other.account();
      const rows: unknown = await other.get(DataSource).query('SELECT password_hash FROM users WHERE id = $1', [id]);
      expect(rows).toEqual([{ password_hash: 'plain:sturdy walnut 47' }]);
    } finally {
      delete process.env['APP_NAME'];
    }
    expect((app.get(CONFIG as never) as Config).appName).not.toBe('of the process');
  });

  it('leaves nothing behind, also if it cannot start', async () => {
    const other = await testApp(definition, { clock: new TestClock() });
    const { dataDir } = other.get(CONFIG as never) as Config;
    const name = other.get(DataSource).driver.database!;
    expect(existsSync(dataDir)).toBe(true);
    await other.close();
    const found: unknown = await app.get(DataSource).query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    expect([existsSync(dataDir), found]).toEqual([false, []]);
    // A separate time, which distinguishes these databases from those of concurrent tests.
    const now = jest.spyOn(Date, 'now').mockImplementation(() => LATER_MS + Math.trunc(performance.now()));
    await expect(testApp({ ...definition, roles: [{ role: 'baker', allow: ['acme.soups.list'] }] })).rejects.toThrow(
      'baker',
    );
    await expect(testApp(definition, { env: { PORT: 'x' } })).rejects.toThrow('PORT');
    now.mockRestore();
    const left: unknown = await app
      .get(DataSource)
      .query(
        `SELECT datname FROM pg_database WHERE datname LIKE 'lintel_testing_${LATER_MS.toString(36).slice(0, 4)}%'`,
      );
    expect(left).toEqual([]);
  });
});
