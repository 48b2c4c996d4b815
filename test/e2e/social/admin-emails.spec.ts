import { HostileProvider } from '../../support/hostile-provider.js';
import { createPerson } from '../../support/people.js';
import {
  comeBack,
  exchange,
  freshBrowser,
  landing,
  meBy,
  signInBy,
  startSocialApp,
} from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

describe('AUTH_ADMIN_EMAILS', () => {
  const one = new HostileProvider();
  const two = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await Promise.all([one.start(), two.start()]);
    app = await startSocialApp(
      { one: one.settings(), two: two.settings() },
      { env: { AUTH_ADMIN_EMAILS: 'Person@Example.com, boss@example.com', AUTH_DISABLE_LOCAL_LOGIN: 'true' } },
    );
  });

  beforeEach(() => {
    one.reset();
    two.reset();
  });

  afterEach(async () => {
    await app.sql('DELETE FROM users');
    await app.sql('DELETE FROM admin_grants');
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all([one.stop(), two.stop()]);
  });

  const demote = (): Promise<unknown> =>
    app.sql(`DELETE FROM user_roles WHERE role_id = (SELECT id FROM roles WHERE name = 'admin')`);

  it('makes the first federated sign-in of an address an administrator, and logs it', async () => {
    const me = await meBy(app, 'one');
    expect(me.roles).toEqual(['admin', 'user']);
    const audit = app.log.filter((line) => line.includes('The admin role was granted'));
    expect(audit).toHaveLength(1);
    expect(JSON.parse(audit[0] ?? '')).toMatchObject({ userId: me.id, provider: 'one' });
  });

  it('does not affect other addresses', async () => {
    one.claims = { email: 'somebody@example.com' };
    expect((await meBy(app, 'one')).roles).toEqual(['user']);
  });

  it('does not affect an address that the provider did not verify', async () => {
    one.claims = { email: 'somebody@example.com' };
    await meBy(app, 'one');
    one.claims = { email: 'boss@example.com', email_verified: false };
    expect((await meBy(app, 'one')).roles).toEqual(['user']);
    two.claims = { email: 'boss@example.com', email_verified: false };
    expect(await signInBy(app, 'two')).toBe('/dash/login#error=email_not_verified');
    expect(await app.sql('SELECT 1 FROM admin_grants')).toEqual([]);
  });

  it('keeps a later demotion', async () => {
    await meBy(app, 'one');
    await demote();
    expect((await meBy(app, 'one')).roles).toEqual(['user']);
    expect((await meBy(app, 'two')).roles).toEqual(['user']);
  });

  it('applies once per address, also after its account was deleted', async () => {
    await meBy(app, 'one');
    await app.sql('DELETE FROM users');
    expect((await meBy(app, 'one')).roles).toEqual(['user']);
  });

  it('applies to an account linked by its first federated sign-in, immediately and for its sessions', async () => {
    const person = await createPerson(app, { email: 'boss@example.com' });
    one.claims = { email: 'BOSS@example.com' };
    expect(await meBy(app, 'one')).toMatchObject({ id: person.id, roles: ['admin', 'user'] });
    two.claims = { email: 'boss@example.com' };
    expect((await meBy(app, 'two')).id).toBe(person.id);
  });

  it('keeps no session, password or identity from before the promotion', async () => {
    one.claims = { email: 'somebody@example.com' };
    const landed = await signInBy(app, 'one');
    const before = await exchange(app, landed);
    const { id } = (await app.as(before).get('/api/auth/me').expect(200)).body as { id: string };
    two.claims = { email: 'somebody@example.com', sub: 'somebody else' };
    await signInBy(app, 'two');
    await app.sql(`UPDATE users SET password_hash = 'a hash' WHERE id = $1`, [id]);
    one.claims = { email: 'boss@example.com' };
    expect(await meBy(app, 'one')).toMatchObject({ id, roles: ['admin', 'user'] });
    await app.as(before).get('/api/auth/me').expect(401);
    expect(await app.sql('SELECT password_hash FROM users')).toEqual([{ password_hash: null }]);
    expect(await app.sql('SELECT provider FROM identities')).toEqual([{ provider: 'one' }]);
  });

  it('revokes nothing of an account that has the role already', async () => {
    const person = await createPerson(app, { email: 'boss@example.com', roles: ['admin', 'user'] });
    one.claims = { email: 'boss@example.com' };
    expect(await meBy(app, 'one')).toMatchObject({ id: person.id, roles: ['admin', 'user'] });
    expect(await app.sql('SELECT 1 FROM users WHERE password_hash IS NOT NULL')).toHaveLength(1);
  });

  it('applies once for sixteen concurrent sign-ins', async () => {
    const browsers = Array.from({ length: 16 }, () => freshBrowser(app));
    const addresses = await Promise.all(browsers.map((browser, index) => comeBack(browser, index % 2 ? 'one' : 'two')));
    const pages = await Promise.all(browsers.map((browser, index) => browser.visit(addresses[index] ?? '')));
    expect(pages.every((page) => landing(page).startsWith('/dash/login#code='))).toBe(true);
    expect(await app.sql('SELECT email_key FROM admin_grants')).toEqual([{ email_key: 'person@example.com' }]);
    expect(await app.sql('SELECT 1 FROM users')).toHaveLength(1);
  });
});
