import { TestOidcProvider } from '../../support/oidc-provider.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import {
  APP,
  comeBack,
  exchange,
  freshBrowser,
  landing,
  meBy,
  signInBy,
  startSocialApp,
} from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

const NAMES = ['acme', 'second', 'posting'];
const ANN = { sub: 'ann', email: 'Ann@example.com', email_verified: true, given_name: 'Ann', family_name: 'Lee' };

describe('signing in with a real provider', () => {
  const provider = new TestOidcProvider(NAMES.map((name) => `${APP}/api/auth/${name}/callback`));
  let app: TestApp;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp(
      {
        acme: provider.settings(),
        second: provider.settings({ scopes: ['openid', 'email'] }),
        posting: provider.settings({ response_mode: 'form_post' }),
      },
      { env: { AUTH_CLI_LOGIN_ENABLED: 'true' } },
    );
  });

  beforeEach(() => {
    provider.signsIn = ANN;
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  it('creates an active account with a verified address, and finds it again', async () => {
    const me = await meBy(app, 'acme');
    expect(me).toMatchObject({
      email: 'Ann@example.com',
      login: 'Ann@example.com',
      username: null,
      first_name: 'Ann',
      last_name: 'Lee',
      provider: 'acme',
      activated: true,
      roles: ['user'],
    });
    expect((await meBy(app, 'acme')).id).toBe(me.id);
    const [row] = await app.sql('SELECT password_hash, email_verified_at FROM users WHERE id = $1', [me.id]);
    expect(row).toEqual({ password_hash: null, email_verified_at: expect.any(Date) });
    expect(await app.sql('SELECT issuer, subject, provider, email_verified FROM identities')).toEqual([
      { issuer: provider.issuer, subject: 'ann', provider: 'acme', email_verified: true },
    ]);
  });

  it('finds the same identity by another name of the same provider', async () => {
    const { id } = await meBy(app, 'acme');
    expect((await meBy(app, 'second')).id).toBe(id);
  });

  it('returns the code once, in the fragment, and sets no token cookie', async () => {
    const browser = freshBrowser(app);
    const landed = await signInBy(app, 'acme', browser);
    expect(landed).toMatch(/^\/dash\/login#code=[\w-]{43}$/);
    expect(browser.cookies(APP).map(({ name }) => name)).toEqual(['oauth_state_acme']);
    await exchange(app, landed);
    const code = landed.split('=')[1];
    const { body } = await app.asGuest().post('/api/auth/exchange', { code }).expect(401);
    expect(body.data.error).toBe('code_invalid');
  });

  describe('from a page with a language parameter', () => {
    const goFrom = async (query: string): Promise<string> =>
      landing(await freshBrowser(app).follow(`${APP}/api/auth/acme/login?${query}`, /\/dash\//));

    it('returns to a page in this language', async () => {
      expect(await goFrom('lang=de')).toMatch(/^\/dash\/login\?lang=de#code=[\w-]{43}$/);
      expect(await goFrom('lang=de-AT')).toMatch(/^\/dash\/login\?lang=de#code=[\w-]{43}$/);
    });

    it('creates an account with this language', async () => {
      provider.signsIn = { ...ANN, sub: 'bea', email: 'bea@example.com' };
      const token = await exchange(app, await goFrom('lang=de'));
      expect((await app.as(token).get('/api/auth/me').expect(200)).body.language).toBe('de');
    });

    it.each(['lang=fr', 'lang=', 'lang=de&lang=en', 'lang=%23code%3Dx', 'lang=de%0d%0ax:y'])(
      'ignores an unsupported language: %s',
      async (query) => {
        expect(await goFrom(query)).toMatch(/^\/dash\/login#code=[\w-]{43}$/);
      },
    );
  });

  it('sets a short-lived cookie that names its provider and is no token', async () => {
    const page = await freshBrowser(app).visit(`${APP}/api/auth/acme/login`);
    expect(page.status).toBe(302);
    const [cookie, ...others] = page.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^oauth_state_acme=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const address = new URL(page.location ?? '');
    expect(address.origin).toBe(provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'lintel-tests',
      redirect_uri: `${APP}/api/auth/acme/callback`,
      scope: 'openid email profile',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^.{20}$/),
      state: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('accepts a response posted from the page of the provider', async () => {
    const browser = freshBrowser(app);
    const { id } = await meBy(app, 'acme');
    const token = await exchange(app, await signInBy(app, 'posting', browser));
    expect((await app.as(token).get('/api/auth/me').expect(200)).body.id).toBe(id);
    // The POST arrived without the cookie, so the browser sent a second request automatically.
    const callbacks = browser.trail.filter((address) => address.includes('/posting/callback'));
    expect(callbacks.map((address) => address.includes('?'))).toEqual([false, true]);
  });

  it('accepts a posted response directly if the cookie was sent', async () => {
    const browser = freshBrowser(app);
    const { searchParams } = new URL(await comeBack(browser, 'acme'));
    const page = await browser.visit(`${APP}/api/auth/acme/callback`, { form: searchParams });
    expect(page.status).toBe(302);
    await exchange(app, landing(page));
  });

  it('reports a rejection by the provider as a page for browsers, and as an envelope for others', async () => {
    provider.signsIn = null;
    expect(await signInBy(app, 'acme')).toBe('/dash/login#error=provider_denied');
    const browser = freshBrowser(app);
    const page = await browser.visit(await comeBack(browser, 'acme'), { accept: 'application/json' });
    expect(page.status).toBe(401);
    expect(JSON.parse(page.body)).toEqual({
      code: '401',
      message: expect.any(String),
      data: { error: 'provider_denied' },
    });
  });

  it('works in two tabs at the same time', async () => {
    const browser = freshBrowser(app);
    const one = await comeBack(browser, 'acme');
    const two = await comeBack(browser, 'acme');
    for (const address of [one, two]) await exchange(app, landing(await browser.visit(address)));
  });

  it('knows only enabled providers', async () => {
    for (const name of ['nobody', 'local', 'constructor', 'acme%00', 'ACME']) {
      const { body } = await app.asGuest().get(`/api/auth/${name}/login`).expect(404);
      expect(body.data.error).toBe('provider_not_found');
      const answer = await app.asGuest().get(`/api/auth/${name}/callback?code=x&state=y`).expect(404);
      expect(answer.body.data.error).toBe('provider_not_found');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await app.asGuest().get('/api/auth/methods').expect(200)).body.providers).toEqual(NAMES);
  });

  describe('from a page with a challenge', () => {
    const begin = async (query: string): Promise<string> => {
      const landed = landing(await freshBrowser(app).follow(`${APP}/api/auth/acme/login${query}`, /\/dash\//));
      expect(landed).toMatch(/^\/dash\/login#code=[\w-]{43}$/);
      return landed.split('=')[1]!;
    };
    const redeem = (body: object) => app.asGuest().post('/api/auth/exchange', body);

    it('creates a code that needs the verifier, and that a wrong or missing one consumes', async () => {
      const { challenge, verifier } = nativeApp();
      const query = `?code_challenge=${challenge}`;
      const { body } = await redeem({ code: await begin(query), code_verifier: verifier }).expect(200);
      await app.as(body.token).get('/api/auth/me').expect(200);
      for (const wrong of [{}, { code_verifier: nativeApp().verifier }, { code_verifier: challenge }]) {
        const code = await begin(query);
        expect((await redeem({ code, ...wrong }).expect(401)).body.data.error).toBe('code_invalid');
        await redeem({ code, code_verifier: verifier }).expect(401);
      }
    });

    it('without a challenge creates a code that accepts no verifier: another tab cannot consume it by mistake', async () => {
      await redeem({ code: await begin(''), code_verifier: nativeApp().verifier }).expect(401);
      await redeem({ code: await begin('') }).expect(200);
    });

    it('rejects an invalid challenge, and two challenges', async () => {
      const { challenge } = nativeApp();
      const pair = `?code_challenge=${challenge}&code_challenge=${challenge}`;
      for (const query of ['?code_challenge=', '?code_challenge=x', `?code_challenge=${challenge}x`, pair]) {
        const { body } = await app.asGuest().get(`/api/auth/acme/login${query}`).expect(422);
        expect(body.data.errors).toEqual([expect.objectContaining({ field: 'code_challenge' })]);
      }
    });

    it('binds the code of an app to the challenge of the app only', async () => {
      const native = nativeApp();
      const query = `?cli=${await initiate(app, native)}&code_challenge=${nativeApp().challenge}`;
      const page = await freshBrowser(app).follow(`${APP}/api/auth/acme/login${query}`, /:49152/);
      const code = new URL(page.location ?? '').searchParams.get('code');
      await redeem({ code, code_verifier: native.verifier }).expect(200);
    });
  });

  describe('for a native app', () => {
    it('sends the code to the app, bound to its verifier', async () => {
      const native = nativeApp();
      const carrier = await initiate(app, native);
      const browser = freshBrowser(app);
      const page = await browser.follow(`${APP}/api/auth/acme/login?cli=${carrier}`, /:49152/);
      const target = new URL(page.location ?? '');
      expect(`${target.origin}${target.pathname}`).toBe(native.redirectUri);
      expect(target.searchParams.get('state')).toBe(native.correlation);
      const code = target.searchParams.get('code');
      const verifier = { code_verifier: native.verifier };
      await app
        .asGuest()
        .post('/api/auth/exchange', { code, ...verifier })
        .expect(200);
      await app
        .asGuest()
        .post('/api/auth/exchange', { code, ...verifier })
        .expect(401);
    });

    it('completes one sign-in per carrier, and explains the second on the page of the app', async () => {
      const carrier = await initiate(app, nativeApp());
      const address = `${APP}/api/auth/acme/login?cli=${carrier}`;
      await freshBrowser(app).follow(address, /:49152/);
      const page = await freshBrowser(app).follow(address, /\/dash\//);
      expect(landing(page)).toBe(`/dash/login?cli=${carrier}#error=carrier_invalid`);
    });

    it('continues only from the page that names the app', async () => {
      const carrier = await initiate(app, nativeApp());
      const from = (site: string) =>
        app.asGuest().get(`/api/auth/acme/login?cli=${carrier}`).set('sec-fetch-site', site).expect(302);
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await from(site)).headers['location']).toBe(`/dash/login?cli=${carrier}`);
      }
      expect((await from('same-origin')).headers['location']).toMatch(provider.issuer);
    });

    it.each(['', 'x', 'a.b', '&cli=y', '%5B%5D'])('rejects an invalid carrier: %j', async (carrier) => {
      const { body, headers } = await app.asGuest().get(`/api/auth/acme/login?cli=${carrier}`).expect(400);
      expect(body.data.error).toBe('carrier_invalid');
      expect(headers['set-cookie']).toBeUndefined();
    });
  });
});
