import { HostileProvider } from '../../support/hostile-provider.js';
import { APP, comeBack, exchange, freshBrowser, landing, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';
import type { TestBrowser } from '../../support/test-browser.js';

const REFUSED = '/dash/login#error=state_invalid';

describe('the state of a sign-in', () => {
  const provider = new HostileProvider();
  let app: TestApp;
  let browser: TestBrowser;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp({ acme: provider.settings(), other: provider.settings() });
    provider.nowMs = () => app.clock.nowMs();
  });

  beforeEach(() => {
    provider.reset();
    browser = freshBrowser(app);
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const visit = async (address: string, by = browser): Promise<string> => landing(await by.visit(address));
  const edited = (address: string, edit: (query: URLSearchParams, url: URL) => void): string => {
    const url = new URL(address);
    edit(url.searchParams, url);
    return url.href;
  };

  it('is valid once, also for concurrent uses', async () => {
    const address = await comeBack(browser, 'acme');
    const landed = await Promise.all(Array.from({ length: 16 }, () => visit(address)));
    expect(landed.filter((place) => place.startsWith('/dash/login#code='))).toHaveLength(1);
    expect(landed.filter((place) => place === REFUSED)).toHaveLength(15);
    expect(provider.seen).toHaveLength(1);
    expect(await visit(address)).toBe(REFUSED);
  });

  it('is consumed by a failed sign-in', async () => {
    provider.answer = { error: 'access_denied' };
    const address = await comeBack(browser, 'acme');
    expect(await visit(address)).toBe('/dash/login#error=provider_denied');
    expect(await visit(address)).toBe(REFUSED);
  });

  it('is invalid in another browser, with its own cookie or without one', async () => {
    const address = await comeBack(browser, 'acme');
    const stranger = freshBrowser(app);
    expect(await visit(address, stranger)).toBe(REFUSED);
    await comeBack(stranger, 'acme');
    expect(await visit(address, stranger)).toBe(REFUSED);
    expect(provider.seen).toEqual([]);
    await exchange(app, await visit(address));
  });

  it('is invalid for another provider', async () => {
    await comeBack(browser, 'other');
    const address = await comeBack(browser, 'acme');
    expect(await visit(address.replace('/acme/', '/other/'))).toBe(REFUSED);
    await exchange(app, await visit(address));
  });

  it('is valid for ten minutes', async () => {
    const fresh = await comeBack(browser, 'acme');
    app.clock.advance(590);
    await exchange(app, await visit(fresh));
    const late = await comeBack(browser, 'acme');
    app.clock.advance(601);
    expect(await visit(late)).toBe(REFUSED);
  });

  it('is signed: no part can be changed', async () => {
    const address = await comeBack(browser, 'acme');
    const state = new URL(address).searchParams.get('state') ?? '';
    const [header = '', payload = '', signature = ''] = state.split('.');
    const none = Buffer.from('{"alg":"none","typ":"oauth-state+jwt"}').toString('base64url');
    const forgeries = ['', 'x', `${none}.${payload}.`, `${none}.${payload}.${signature}`, `${header}.${payload}.`];
    forgeries.push(
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
      `${state}.x`,
      `${state}x`,
      '\u0000',
      'x'.repeat(9_000),
    );
    for (const forged of forgeries) {
      expect(await visit(edited(address, (query) => query.set('state', forged)))).toBe(REFUSED);
    }
    expect(provider.seen).toEqual([]);
    await exchange(app, await visit(address));
  });

  it('is checked first: without it nothing of the request is read', async () => {
    for (const query of ['', 'code=x', 'error=access_denied', 'state=x&error=access_denied', 'code=x&state=&iss=y']) {
      expect(await visit(`${APP}/api/auth/acme/callback?${query}`)).toBe(REFUSED);
    }
  });

  it.each(['code', 'state', 'error', 'iss'])('rejects %s as a list, and consumes nothing', async (name) => {
    const address = await comeBack(browser, 'acme');
    const doubled = edited(address, (query) => {
      query.append(name, query.get(name) ?? 'x');
      query.append(name, 'y');
    });
    expect(await visit(doubled)).toBe(REFUSED);
    for (const spelling of [`${name}[]=x`, `${name}[a]=x`]) await visit(`${address}&${spelling}`);
    expect(await app.sql('SELECT 1 FROM sessions')).toBeDefined();
  });

  it('returns an envelope to clients other than browsers', async () => {
    const { body } = await app.asGuest().get('/api/auth/acme/callback?code=x&state=y').expect(401);
    expect(body).toEqual({ code: '401', message: expect.any(String), data: { error: 'state_invalid' } });
    const posted = await app
      .asGuest()
      .post('/api/auth/acme/callback')
      .set('cookie', `oauth_state_acme=${'x'.repeat(43)}`)
      .type('form')
      .send('code=x&state=y')
      .expect(401);
    expect(posted.body.data.error).toBe('state_invalid');
  });

  it('redirects a posted response only once', async () => {
    const form = new URLSearchParams({ code: 'x', state: 'y', user: '{"name":"Ann"}' });
    const page = await browser.visit(`${APP}/api/auth/acme/callback`, { form });
    expect([page.status, page.location]).toEqual([303, `${APP}/api/auth/acme/callback?state=y&code=x`]);
    expect(await visit(page.location ?? '')).toBe(REFUSED);
  });

  it('is deleted when it has expired', async () => {
    await comeBack(browser, 'acme');
    app.clock.advance(2 * 86_400);
    const { ExpiredRows } = await import('../../../src/platform/jobs/expired-rows.service.js');
    await app.get(ExpiredRows).sweep();
    expect(await app.sql('SELECT 1 FROM pending_logins')).toEqual([]);
  });
});

describe('the state cookie over https', () => {
  it('is tied to the host and sent over https only', async () => {
    const provider = new HostileProvider();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings() }, { env: { APP_URL: 'https://lintel.test' } });
    try {
      const { headers } = await app.asGuest().get('/api/auth/acme/login').expect(302);
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-oauth_state_acme=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ]);
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});
