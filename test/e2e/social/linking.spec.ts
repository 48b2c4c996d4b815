import { HostileProvider } from '../../support/hostile-provider.js';
import { PASSWORD, type Person, signedIn } from '../../support/people.js';
import {
  APP,
  beginLinking,
  comeBack,
  exchange,
  freshBrowser,
  landing,
  providersVariable,
  meBy,
  signInBy,
  startSocialApp,
} from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';
import type { Page, TestBrowser } from '../../support/test-browser.js';

interface Row {
  readonly id: string;
  readonly provider: string;
  readonly email: string | null;
}

describe('linked providers', () => {
  const one = new HostileProvider();
  const two = new HostileProvider();
  let app: TestApp;
  let person: Person;
  let token: string;
  let browser: TestBrowser;

  beforeAll(async () => {
    await Promise.all([one.start(), two.start()]);
    app = await startSocialApp({ one: one.settings(), two: two.settings() });
    one.nowMs = two.nowMs = () => app.clock.nowMs();
  });

  beforeEach(async () => {
    one.reset();
    two.reset();
    one.claims = { email: 'somewhere.else@example.com', email_verified: false };
    browser = freshBrowser(app);
    ({ person, token } = await signedIn(app));
  });

  afterEach(async () => {
    await app.sql('DELETE FROM users');
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all([one.stop(), two.stop()]);
  });

  const linkAddress = (provider: string, by = browser, as = token): Promise<string> =>
    beginLinking({ app, browser: by, token: as }, { provider, current_password: PASSWORD });

  const link = async (provider: string): Promise<string> =>
    landing(await browser.follow(await linkAddress(provider), /\/dash\//));
  const list = async (as = token): Promise<Row[]> =>
    ((await app.as(as).get('/api/auth/identities').expect(200)).body as { data: Row[] }).data;
  const remove = (id: string, as = token) => app.as(as).delete(`/api/auth/identities/${id}`);

  it('links a provider, lists it, and signs in with it', async () => {
    expect(await list()).toEqual([]);
    expect(await link('one')).toBe('/dash/account#linked=one');
    expect(await list()).toEqual([
      {
        id: expect.any(String),
        provider: 'one',
        email: 'somewhere.else@example.com',
        created_at: expect.stringMatching(/Z$/),
        last_used_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await meBy(app, 'one')).id).toBe(person.id);
    expect(await link('one')).toBe('/dash/account#linked=one');
    expect(await list()).toHaveLength(1);
  });

  it('returns a URL with a one-time token, and no access token', async () => {
    const address = await linkAddress('one');
    expect(address).toMatch(/^http:\/\/lintel\.test\/api\/auth\/one\/login\?link=[\w-]{43}$/);
    await browser.visit(address);
    expect(landing(await browser.visit(address))).toBe('/dash/account#error=token_invalid');
    const page = await browser.visit(address, { accept: '*/*' });
    expect([page.status, page.body]).toEqual([400, expect.stringContaining('"token_invalid"')]);
  });

  it('has a token that is valid for five minutes, for its provider, and only the newest', async () => {
    const old = await linkAddress('one');
    const other = await linkAddress('one');
    expect(landing(await browser.visit(old))).toBe('/dash/account#error=token_invalid');
    expect(landing(await browser.visit(other.replace('/one/', '/two/')))).toBe('/dash/account#error=token_invalid');
    const late = await linkAddress('one');
    app.clock.advance(301);
    expect(landing(await browser.visit(late))).toBe('/dash/account#error=token_expired');
    for (const query of ['link=', 'link=x&link=y', 'link[]=x', 'link=%00']) {
      expect(landing(await browser.visit(`${APP}/api/auth/one/login?${query}`))).toMatch(
        /error=token_invalid$|authorize/,
      );
    }
  });

  it('cannot be sent to another user to capture the identity', async () => {
    const bait = await linkAddress('one');
    const victim = freshBrowser(app);
    expect(landing(await victim.follow(bait, /\/dash\//))).toBe('/dash/account#error=token_invalid');
    await comeBack(victim, 'one');
    expect(landing(await victim.follow(await linkAddress('one'), /\/dash\//))).toBe(
      '/dash/account#error=token_invalid',
    );
    expect(await list()).toEqual([]);
  });

  it('does not take an identity from another account', async () => {
    await link('one');
    const other = await signedIn(app);
    const page: Page = await freshBrowserLink(other.token);
    expect(landing(page)).toBe('/dash/account#error=identity_taken');
    expect(await list(other.token)).toEqual([]);
    expect((await meBy(app, 'one')).id).toBe(person.id);
  });

  const freshBrowserLink = async (as: string): Promise<Page> => {
    const by = freshBrowser(app);
    return by.follow(await linkAddress('one', by, as), /\/dash\//);
  };

  it('links an identity once for concurrent requests', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signedIn(app)));
    const pages = await Promise.all(people.map(({ token: as }) => freshBrowserLink(as)));
    const landed = pages.map(landing).sort();
    expect(landed.filter((place) => place === '/dash/account#linked=one')).toHaveLength(1);
    expect(landed.filter((place) => place === '/dash/account#error=identity_taken')).toHaveLength(5);
  });

  it('links nothing to a revoked session or a deactivated account', async () => {
    const address = await comeBack(
      browser,
      'one',
      (await linkAddress('one')).slice(`${APP}/api/auth/one/login`.length),
    );
    await app.as(token).post('/api/auth/logout').expect(200);
    expect(landing(await browser.visit(address))).toBe('/dash/login#error=state_invalid');
    const again = await signedIn(app);
    const by = freshBrowser(app);
    const later = await linkAddress('one', by, again.token);
    await app.as(again.token).post('/api/auth/logout').expect(200);
    expect(landing(await by.follow(later, /\/dash\//))).toMatch(/^\/dash\/account#error=token_invalid$/);
    expect(await app.sql('SELECT 1 FROM identities')).toEqual([]);
  });

  it('leaves no access to a user who registered a foreign address', async () => {
    const squatter = await signedIn(app, { email: 'victim@example.com', emailVerifiedAt: null });
    expect(landing(await freshBrowserLink(squatter.token))).toBe('/dash/account#error=email_not_verified');
    expect(await list(squatter.token)).toEqual([]);
    one.claims = { email: 'Victim@example.com', email_verified: true };
    expect(landing(await freshBrowserLink(squatter.token))).toBe('/dash/account#linked=one');
    const [row] = await app.sql('SELECT email_verified_at FROM users WHERE id = $1', [squatter.person.id]);
    expect(row).toEqual({ email_verified_at: expect.any(Date) });
  });

  it('explains a rejection by the provider on the account page', async () => {
    one.answer = { error: 'access_denied' };
    expect(await link('one')).toBe('/dash/account#error=provider_denied');
  });

  it('needs an account and an enabled provider', async () => {
    for (const request of [
      app.asGuest().get('/api/auth/identities'),
      app.asGuest().post('/api/auth/identities', { provider: 'one' }),
      app.asGuest().delete(`/api/auth/identities/${person.id}`),
    ]) {
      expect((await request.expect(401)).body.data.error).toBe('token_missing');
    }
    const unknown = await app.as(token).post('/api/auth/identities', { provider: 'nobody' }).expect(404);
    expect(unknown.body.data.error).toBe('provider_not_found');
    for (const body of [{}, { provider: ['one'] }, { provider: null }, { provider: 1 }]) {
      await app.as(token).post('/api/auth/identities', body).expect(422);
    }
  });

  it('does not start with only a cookie from another site', async () => {
    const { body } = await app
      .asGuest()
      .post('/api/auth/identities', { provider: 'one' })
      .set('cookie', `token=${token}`)
      .set('origin', 'https://evil.example')
      .expect(403);
    expect(body.data.error).toBe('cross_site_request');
  });

  it('lists those of an account to an administrator, and to no other account', async () => {
    await link('one');
    const root = app.as((await signedIn(app, { roles: ['admin'] })).token);
    const path = `/api/identities/${person.id}`;
    expect((await root.get(path).expect(200)).body).toEqual({ data: await list() });
    const stranger = (await signedIn(app)).token;
    for (const other of [token, stranger]) await app.as(other).get(path).expect(403);
    await app.asGuest().get(path).expect(401);
    for (const nobody of ['nobody', '%00', '00000000-0000-4000-8000-000000000000'])
      await root.get(`/api/identities/${nobody}`).expect(404);
  });

  describe('unlinking', () => {
    it('removes a provider, which cannot sign in any more', async () => {
      await link('one');
      const [row] = await list();
      await remove(row?.id ?? '').expect(200);
      expect(await list()).toEqual([]);
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_not_verified');
      const { body } = await remove(row?.id ?? '').expect(404);
      expect(body.data.error).toBe('identity_not_found');
    });

    it('does not find identities of other accounts or invalid ids', async () => {
      await link('one');
      const [row] = await list();
      const other = await signedIn(app);
      for (const id of [row?.id ?? '', 'x', '%00', '00000000-0000-0000-0000-000000000000']) {
        expect((await remove(id, other.token).expect(404)).body.data.error).toBe('identity_not_found');
      }
      expect(await list()).toHaveLength(1);
    });

    it('does not remove the last sign-in method of an account without a password', async () => {
      one.claims = { email: 'federated@example.com' };
      const as = await exchange(app, await signInBy(app, 'one'));
      const [row] = await list(as);
      const { body } = await remove(row?.id ?? '', as).expect(400);
      expect(body.data.error).toBe('last_way_in');
      two.claims = { email: 'federated@example.com' };
      await signInBy(app, 'two');
      const both = await list(as);
      expect(both.map(({ provider }) => provider)).toEqual(['one', 'two']);
      const answers = await Promise.all(both.map(({ id }) => remove(id, as)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(await list(as)).toHaveLength(1);
    });

    it('does not count a disabled provider', async () => {
      one.claims = { email: 'federated@example.com' };
      const as = await exchange(app, await signInBy(app, 'one'));
      const [row] = await list(as);
      await app.sql(
        `INSERT INTO identities (id, user_id, provider, issuer, subject, email_verified, created_at, last_used_at)
         SELECT gen_random_uuid(), user_id, 'gone', 'https://gone.example', 'x', false, now(), now() FROM identities`,
      );
      expect((await remove(row?.id ?? '', as).expect(400)).body.data.error).toBe('last_way_in');
    });

    it('does not count a password if password sign-in is switched off', async () => {
      await link('one');
      const [row] = await list();
      const only = await TestApp.start({
        connection: app.connection,
        clock: app.clock,
        env: {
          AUTH: providersVariable({ one: one.settings() }),
          AUTH_DISABLE_LOCAL_LOGIN: 'true',
        },
      });
      try {
        const { body } = await only.as(token).delete(`/api/auth/identities/${row?.id}`).expect(400);
        expect(body.data.error).toBe('last_way_in');
      } finally {
        await only.stop();
      }
      await remove(row?.id ?? '').expect(200);
    });
  });
});
