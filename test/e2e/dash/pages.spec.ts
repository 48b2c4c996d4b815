import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { BuiltPages } from '../../../src/edge/dash/built-pages.js';
import { BUILT_PAGES } from '../../../src/edge/dash/page.service.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { type TestAppOptions, useTestApp } from '../../support/test-app.js';

const STYLE = 'p{}';
const SCRIPT = 'export const one = 1;\n'.repeat(100);
const directory = mkdtempSync(join(tmpdir(), 'lintel-assets-'));
const FILES = {
  'index-1.js': SCRIPT,
  'index-2.css': STYLE,
  'index-2.css.gz': gzipSync(STYLE),
  'index-2.css.br': brotliCompressSync(STYLE),
};
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(directory, name), content);
const PAGES: BuiltPages = {
  index: '<html lang="en"><meta name="application-name" content="Lintel" /><title>Lintel</title>',
  reference: '',
  directory,
  assets: new Set(['index-1.js', 'index-2.css']),
};
afterAll(() => rmSync(directory, { recursive: true }));

const served = (env: TestAppOptions['env'] = {}): TestAppOptions => ({
  env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'app.example.com', ...env },
  override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(PAGES),
});
const FEDERATED_ONLY = {
  AUTH_DISABLE_LOCAL_LOGIN: 'true',
  AUTH: JSON.stringify({
    enabled_providers: ['acme'],
    providers: { acme: { client_id: 'x', client_secret: 'y', issuer: 'http://127.0.0.1:1' } },
  }),
};
const EMAIL_PAGES = ['/auth/local/email/confirm', '/auth/local/email/cancel'];
const SELF_SERVICE_PAGES = ['/auth/local/activate', '/auth/local/recover'];
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; form-action";

describe('the pages', () => {
  const world = useTestApp(served({ APP_NAME: 'Fish & "Chips" <Ltd>' }));

  it('redirect a browser from the root to the sign-in, and return 404 to other clients', async () => {
    const browser = await world.app.asGuest().get('/').set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect({ status: browser.status, location: browser.headers['location'] }).toEqual({
      status: 302,
      location: '/dash',
    });
    const { body } = await world.app.asGuest().get('/').expect(404);
    expect(body).toMatchObject({ code: '404', data: { error: 'route_not_found' } });
  });

  it.each([
    '/dash',
    '/dash/',
    '/dash/login',
    '/dash/login/',
    '/dash/account',
    '/dash/setup',
    ...EMAIL_PAGES,
    ...SELF_SERVICE_PAGES,
  ])('answer %s with the document, not cacheable and without a referrer', async (path) => {
    const { headers, text } = await world.app
      .asGuest()
      .get(`${path}?token=${'x'.repeat(43)}`)
      .expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toBe(`${POLICY} 'self'`);
    expect(headers['set-cookie']).toBeUndefined();
    const name = 'Fish &amp; &quot;Chips&quot; &lt;Ltd&gt;';
    expect(text).toBe(
      `<html lang="en" dir="ltr"><meta name="application-name" content="${name}" /><title>${name}</title>`,
    );
  });

  it.each<[string, string | undefined, string]>([
    ['/dash/login', undefined, 'en'],
    ['/dash/login', 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['/dash/login?lang=en', 'de', 'en'],
    ['/dash/login?lang=de', 'en', 'de'],
    ['/dash/login?lang=fr', 'de', 'de'],
    ['/auth/local/recover?lang=de', 'en', 'de'],
    ['/nothing', 'de', 'de'],
    [`/dash/login?lang=${encodeURIComponent('"><script>')}&lang=de`, 'fr', 'en'],
  ])('in %s for a browser that prefers %s declare the language %s', async (path, accepted, language) => {
    const request = world.app.asGuest().get(path).set('accept', 'text/html');
    const { text } = await (accepted === undefined ? request : request.set('accept-language', accepted));
    expect(text).toContain(`<html lang="${language}" dir="ltr">`);
    expect(text).not.toContain('<script');
  });

  describe('an unknown URL', () => {
    const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const NOWHERE = [
      '/nothing',
      '/dash/nothing',
      '/dash/login/nothing',
      '/dash/Login',
      '/dash/constructor',
      '/dash//login',
      '/nothing?x=%00',
      '/auth/local/nothing',
      '/dash/assets/nothing.js',
      `/${'x'.repeat(900)}`,
    ];
    const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(world.app.url + path, { method, headers });

    it.each(NOWHERE)('returns the page with its status to a browser: %s', async (path) => {
      const response = await ask(path, { accept: HTML });
      const { headers } = response;
      expect([response.status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      const text = await response.text();
      expect(text).toContain('<title>Fish &amp; &quot;Chips&quot; &lt;Ltd&gt;</title>');
      expect(text).toContain('<meta name="page" content="none" />');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toBe(`${POLICY} 'self'`);
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      const head = await ask(path, { accept: HTML }, 'HEAD');
      expect([head.status, head.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    });

    it.each(NOWHERE)('returns an envelope to other clients: %s', async (path) => {
      for (const accept of ['*/*', 'application/json', 'image/avif,image/*', '']) {
        const response = await ask(path, { accept });
        expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
        expect(await response.json()).toMatchObject({ code: '404', data: { error: 'route_not_found' } });
      }
    });

    it.each(['/api', '/api/', '/api/nothing', '/api/auth/nothing', '/api/content/nothing'])(
      'returns an envelope below /api to every client: %s',
      async (path) => {
        const response = await ask(path, { accept: HTML });
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(await response.json()).toMatchObject({ code: String(response.status), data: {} });
      },
    );

    it('returns no page to a writing request', async () => {
      const response = await ask('/nothing', { accept: HTML }, 'POST');
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    });
  });

  it('supports HEAD and no other method', async () => {
    for (const path of ['/dash/login', ...EMAIL_PAGES, ...SELF_SERVICE_PAGES]) {
      const agent = world.app.asGuest();
      expect((await fetch(world.app.url + path, { method: 'HEAD' })).status).toBe(200);
      const { body, headers } = await agent.post(path, {}).expect(405);
      expect(body.data.error).toBe('method_not_allowed');
      expect(headers.allow).toBe('GET, HEAD');
    }
  });

  it('is not logged', async () => {
    await world.app.asGuest().get('/auth/local/activate?token=very-secret').expect(200);
    expect(world.app.log.join('\n')).not.toContain('very-secret');
  });

  describe('form-action', () => {
    const policyOf = async (query: string): Promise<string> =>
      (await world.app.asGuest().get(`/dash/login?${query}`).expect(200)).headers['content-security-policy'] as string;

    it.each([
      ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
      ['http://[::1]:49152/callback', 'http:'],
      ['https://app.example.com/done', 'https://app.example.com'],
    ])('allows the sign-in of an app at %s', async (redirectUri, source) => {
      const carrier = await initiate(world.app, nativeApp({ redirectUri }));
      expect(await policyOf(`cli=${carrier}`)).toBe(`${POLICY} 'self' ${source}`);
    });

    it('names no host for a carrier that is forged, repeated or expired', async () => {
      const carrier = await initiate(world.app, nativeApp());
      const forged = Buffer.from(
        JSON.stringify({ redirect_uri: 'https://evil.example', exp: 9_999_999_999, jti: 'x' }),
      ).toString('base64url');
      for (const query of [
        `cli=${forged}.${carrier.split('.')[1]}`,
        `cli=${carrier}x`,
        `cli=${carrier}&cli=${carrier}`,
        `cli[a]=${carrier}`,
        'cli=',
        'cli=%0d%0aset-cookie:x',
      ]) {
        expect(await policyOf(query)).toBe(`${POLICY} 'self'`);
      }
      world.app.clock.advance(601);
      expect(await policyOf(`cli=${carrier}`)).toBe(`${POLICY} 'self'`);
    });
  });

  describe('assets', () => {
    it('are immutable, and have 304 responses', async () => {
      const { headers, text } = await world.app
        .asGuest()
        .get('/dash/assets/index-1.js')
        .set('accept-encoding', 'identity')
        .expect(200);
      expect(text).toBe(SCRIPT);
      expect(headers['content-type']).toBe('application/javascript; charset=utf-8');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      for (const known of [headers['etag'] as string, `"z", ${headers['etag']}`, '*']) {
        await world.app.asGuest().get('/dash/assets/index-1.js').set('if-none-match', known).expect(304);
      }
    });

    it('are compressed if the client supports it', async () => {
      const get = (encoding: string) =>
        fetch(`${world.app.url}/dash/assets/index-2.css`, { headers: { 'accept-encoding': encoding } });
      const tags = new Set<string | null>();
      for (const [accepted, encoding] of [
        ['gzip', 'gzip'],
        ['br, gzip', 'br'],
        ['gzip;q=0.5', 'gzip'],
        ['identity', null],
        ['gzip;q=0', null],
      ] as const) {
        const response = await get(accepted);
        const { headers } = response;
        expect([accepted, headers.get('content-encoding')]).toEqual([accepted, encoding]);
        expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
        expect(headers.get('vary')).toMatch(/accept-encoding/i);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(await response.text()).toBe(STYLE);
        tags.add(headers.get('etag'));
      }
      expect(tags.size).toBe(3);
    });

    it.each([
      '',
      '/',
      '/index-9.js',
      '/index.html',
      '/../index.html',
      '/%2e%2e/%2e%2e/package.json',
      '/index-1.js/x',
      '/index-2.css.gz',
      '/index-2.css.br',
      '/constructor',
    ])('return an envelope for /dash/assets%s', async (name) => {
      const response = await fetch(`${world.app.url}/dash/assets${name}`, { headers: { accept: '*/*' } });
      expect(response.status).toBe(404);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toMatchObject({ code: '404', data: { error: 'route_not_found' } });
    });
  });
});

describe('the pages in federated-only mode', () => {
  const world = useTestApp(served(FEDERATED_ONLY));

  it.each(EMAIL_PAGES)('has %s', (path) => world.app.asGuest().get(path).expect(200));

  it.each(SELF_SERVICE_PAGES)('has no %s', async (path) => {
    const { body } = await world.app.asGuest().get(path).expect(404);
    expect(body.data.error).toBe('route_not_found');
    const { text } = await world.app.asGuest().get(path).set('accept', 'text/html').expect(404);
    expect(text).toContain(`<meta name="page" content="none" />`);
  });
});
