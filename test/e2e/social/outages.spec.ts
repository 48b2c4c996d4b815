import { HostileProvider, newKey } from '../../support/hostile-provider.js';
import { until } from '../../support/mailbox.js';
import { APP, comeBack, freshBrowser, landing, meBy, signInBy, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

const UNAVAILABLE = '/dash/login#error=provider_unavailable';

describe('an unavailable provider', () => {
  const provider = new HostileProvider();
  const other = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await Promise.all([provider.start(), other.start()]);
    await provider.stop();
    app = await startSocialApp({ acme: provider.settings(), other: other.settings() });
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all([provider.stop(), other.stop()]);
  });

  it('delays neither the start nor other requests, and is found again when it is back', async () => {
    await app.asGuest().get('/readyz').expect(200);
    expect(await signInBy(app, 'acme')).toBe(UNAVAILABLE);
    const { body, headers } = await app.asGuest().get('/api/auth/acme/login').expect(503);
    expect(body.data.error).toBe('provider_unavailable');
    expect(headers['set-cookie']).toBeUndefined();
    await meBy(app, 'other');
    await provider.start();
    app.clock.advance(60);
    await meBy(app, 'acme');
  });

  it('is not needed for the redirect once it is known, and works when it is back', async () => {
    const browser = freshBrowser(app);
    const address = await comeBack(browser, 'acme');
    await provider.stop();
    app.clock.advance(7_200);
    expect((await freshBrowser(app).visit(`${APP}/api/auth/acme/login`)).status).toBe(302);
    app.clock.advance(-7_200);
    expect(landing(await browser.visit(address))).toBe(UNAVAILABLE);
    await provider.start();
    app.clock.advance(60);
    await meBy(app, 'acme');
  });
});

describe('discovery', () => {
  it.each([
    ['garbage', '<html>'],
    ['another issuer', { issuer: 'https://evil.example' }],
    ['an issuer that is no text', { issuer: ['x'] }],
    ['no endpoints', {}],
    ['an endpoint that is no address', { token_endpoint: 'x' }],
    ['an endpoint with credentials', { token_endpoint: 'https://a:b@evil.example/' }],
    ['an endpoint that is no text', { jwks_uri: { href: 'x' } }],
    ['an endpoint of a strange kind', { authorization_endpoint: 'javascript:alert(1)' }],
    ['nothing but algorithms without a key', { id_token_signing_alg_values_supported: ['none', 'HS256'] }],
  ])('rejects %s, pauses, and retries', async (_name, change) => {
    const provider = new HostileProvider();
    await provider.start();
    if (typeof change === 'string') provider.script.set('/.well-known/openid-configuration', change);
    else if (Object.keys(change).length === 0)
      provider.script.set('/.well-known/openid-configuration', { issuer: provider.issuer });
    else provider.discovery = change;
    const app = await startSocialApp({ acme: provider.settings() });
    try {
      app.clock.advance(60);
      const { body } = await app.asGuest().get('/api/auth/acme/login').expect(502);
      expect(body.data.error).toBe('provider_failed');
      provider.reset();
      expect(await signInBy(app, 'acme')).toBe(UNAVAILABLE);
      app.clock.advance(60);
      await meBy(app, 'acme');
    } finally {
      await app.stop();
      await provider.stop();
    }
  });

  it('sends one request for concurrent sign-ins, and none for an hour', async () => {
    const provider = new HostileProvider();
    await provider.start();
    let asked = 0;
    const app = await startSocialApp({ acme: provider.settings() });
    try {
      await meBy(app, 'acme');
      provider.script.set('/.well-known/openid-configuration', (_request, response) => {
        asked += 1;
        response.writeHead(500).end();
      });
      await Promise.all(Array.from({ length: 8 }, () => app.asGuest().get('/api/auth/acme/login').expect(302)));
      expect(asked).toBe(0);
      app.clock.advance(3_601);
      await Promise.all(Array.from({ length: 8 }, () => app.asGuest().get('/api/auth/acme/login').expect(302)));
      await until(() => asked > 0, 'the question in the background');
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(asked).toBe(1);
    } finally {
      await app.stop();
      await provider.stop();
    }
  });

  it('follows key rotation of a provider', async () => {
    const provider = new HostileProvider();
    const renewed = newKey();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings() });
    try {
      await meBy(app, 'acme');
      const { exportJWK } = await import('jose');
      const { kty, n, e } = await exportJWK(renewed);
      provider.script.set('/jwks', { keys: [{ kty, n, e, kid: 'second', use: 'sig' }] });
      provider.forge = (claims) => provider.sign(claims, { kid: 'second' }, renewed);
      app.clock.advance(40);
      await meBy(app, 'acme');
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});

describe('a provider that hangs', () => {
  it('fails within its timeout, while other routes respond immediately', async () => {
    const provider = new HostileProvider();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings({ timeout_seconds: 1.5 }) });
    try {
      const browsers = Array.from({ length: 10 }, () => freshBrowser(app));
      const addresses = await Promise.all(browsers.map((browser) => comeBack(browser, 'acme')));
      provider.script.set('/token', () => undefined);
      const hanging = Promise.all(browsers.map((browser, index) => browser.visit(addresses[index] ?? '')));
      let over = false;
      void hanging.finally(() => (over = true));
      for (let count = 0; count < 20; count += 1) await app.asGuest().get('/api/auth/methods').expect(200);
      expect(over).toBe(false);
      expect((await hanging).map(landing)).toEqual(browsers.map(() => UNAVAILABLE));
      provider.reset();
      await meBy(app, 'acme');
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});
