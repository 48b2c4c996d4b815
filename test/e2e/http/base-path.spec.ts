import { makeMagazine } from '../../support/content-fixture.js';
import { freePort, type Nginx, servedBelow, startNginx } from '../../support/nginx.cjs';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';
import { TestApp } from '../../support/test-app.js';

const AUTH = JSON.stringify({
  enabled_providers: ['acme'],
  providers: { acme: { issuer: 'https://op.example', client_id: 'an id', client_secret: 'a secret' } },
});
const ENV = {
  AUTH,
  AUTH_ENABLE_REFRESH_TOKEN: 'true',
  AUTH_CLI_LOGIN_ENABLED: 'true',
  TRUST_PROXY: '127.0.0.1/32',
};
const PAGE = { accept: 'text/html', 'accept-language': 'en' };

describe.each([
  ['keeps the prefix', false],
  ['strips the prefix', true],
])('below a path, behind an nginx that %s', (_style, strip) => {
  let app: TestApp;
  let nginx: Nginx;
  let base = '';

  beforeAll(async () => {
    const port = await freePort();
    base = `http://localhost:${port}/backend`;
    app = await TestApp.start({ env: { ...ENV, APP_URL: base } });
    const upstream = Number(new URL(app.url).port);
    nginx = await startNginx([servedBelow({ port, upstream, path: '/backend', strip })], port);
  });
  afterAll(async () => {
    await nginx?.close();
    await app?.stop();
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(base + path, { redirect: 'manual', ...init });
  const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

  it('redirects a browser from the path without a slash to the pages', async () => {
    for (const path of ['', '/']) {
      const answer = await ask(path, { headers: PAGE });
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 302, '/backend/dash']);
    }
  });

  it('serves every kind of route, and probes without the path', async () => {
    for (const path of ['/healthz', '/readyz', '/api/auth/methods', '/api/openapi.json', '/dash/login'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    const missing = await ask('/api/nothing?x=/backend/y');
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(((await missing.json()) as { data: { error: string } }).data.error).toBe('route_not_found');
  });

  it('writes URLs below the path into the pages, and each of them works', async () => {
    for (const page of ['/dash/login', '/auth/local/recover', '/api/docs', '/dash/records/a/b']) {
      const document = await (await ask(page, { headers: PAGE })).text();
      expect(document).toContain('<meta name="app-base" content="/backend" />');
      expect(document).not.toContain('/backend/backend');
      const addresses = [...document.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
      expect(addresses.length).toBeGreaterThan(1);
      expect(addresses.filter((address) => !address.startsWith('/backend/'))).toEqual([]);
      for (const address of addresses)
        expect([address, (await fetch(new URL(address, base))).status]).toEqual([address, 200]);
    }
    const nowhere = await ask('/nowhere', { headers: PAGE });
    expect([nowhere.status, await nowhere.text()]).toEqual([404, expect.stringContaining('content="/backend"')]);
  });

  it('binds cookies to the path', async () => {
    const person = await createPerson(app);
    const headers = { 'lintel-session': 'cookie', 'sec-fetch-site': 'same-origin' };
    const answer = await ask('/api/auth/local/login', json({ login: person.email, password: PASSWORD }, headers));
    expect(answer.status).toBe(200);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^refresh_token_\d+=[^;]+;.*; Path=\/backend(;|$)/);
    const cookie = cookies[0]?.split(';')[0] ?? '';
    const again = await ask('/api/auth/token/resume', json({}, { cookie, 'sec-fetch-site': 'same-origin' }));
    expect(again.status).toBe(200);
  });

  it('returns URLs below the path: OpenAPI, native sign-in, linking, files, uploads, records', async () => {
    const { servers } = (await (await ask('/api/openapi.json')).json()) as { servers: { url: string }[] };
    expect(servers).toEqual([{ url: base }]);
    const initiated = await ask(
      '/api/auth/cli/initiate',
      json({ redirect_uri: 'http://127.0.0.1:9/cb', correlation: 'c'.repeat(32), code_challenge: 'c'.repeat(43) }),
    );
    const { authorize_url: authorize } = (await initiated.json()) as { authorize_url: string };
    expect(authorize).toMatch(/^\/backend\/dash\/login\?cli=/);
    expect((await fetch(new URL(authorize, base))).status).toBe(200);

    await makeMagazine(app);
    const { token } = await signedIn(app, { roles: ['admin'] });
    const bearer = { authorization: `Bearer ${token}` };
    const upload = await ask('/api/files/uploads', {
      method: 'POST',
      headers: { ...bearer, 'tus-resumable': '1.0.0', 'upload-length': '3' },
    });
    const location = upload.headers.get('location') ?? '';
    expect([upload.status, location]).toEqual([201, expect.stringMatching(/^\/backend\/api\/files\/uploads\/[\w-]+$/)]);
    const head = { ...bearer, 'tus-resumable': '1.0.0' };
    expect((await fetch(new URL(location, base), { method: 'HEAD', headers: head })).status).toBe(200);
    const sent = await ask('/api/files', {
      method: 'POST',
      body: 'abc',
      headers: { ...bearer, 'content-type': 'text/plain' },
    });
    const { data } = (await sent.json()) as { data: { url: string } };
    expect(data.url).toMatch(new RegExp(`^${base}/api/files/`));
    const made = await ask('/api/content/tag', json({ title: 'a' }, bearer));
    const record = made.headers.get('location') ?? '';
    expect([made.status, record]).toEqual([201, expect.stringMatching(/^\/backend\/api\/content\/tag\//)]);
    expect((await fetch(new URL(record, base), { headers: bearer })).status).toBe(200);
  });

  it('redirects rejected sign-ins to the page below the path', async () => {
    const back = await ask('/api/auth/acme/callback?state=x&code=y', { headers: PAGE });
    expect([back.status, back.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/backend\/dash\/login#error=/),
    ]);
    const posted = await ask('/api/auth/acme/callback', {
      method: 'POST',
      body: 'state=x&code=y',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([posted.status, posted.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/backend\/api\/auth\/acme\/callback\?/),
    ]);
  });

  it('links mails below the path', () => {
    const { local } = app.config.auth as unknown as { local: { recoveryUrl: string } };
    expect(local.recoveryUrl).toBe(`${base}/auth/local/recover`);
  });

  it('does not trust X-Forwarded-Prefix', async () => {
    const headers = { ...PAGE, 'x-forwarded-prefix': '/evil', 'x-forwarded-path': '/evil', 'x-script-name': '/evil' };
    const document = await ask('/dash/login', { headers });
    expect(await document.text()).not.toContain('evil');
    expect((await ask('', { headers })).headers.get('location')).toBe('/backend/dash');
  });
});

describe('below a path, over HTTPS', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ env: { ...ENV, APP_URL: 'https://lintel.test/a/b' } });
  });
  afterAll(() => app?.stop());

  it('gives cookies the prefix that browsers accept with a path', async () => {
    const { person } = await signedIn(app);
    const answer = await app
      .asGuest()
      .post('/a/b/api/auth/local/login', { login: person.email, password: PASSWORD })
      .set({ 'lintel-session': 'cookie', 'sec-fetch-site': 'same-origin' })
      .expect(200);
    const [cookie] = answer.headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(/^__Secure-refresh_token=/);
    expect(cookie).toMatch(/; Path=\/a\/b(;|$)/);
    expect(cookie).toMatch(/; Secure(;|$)/);
    const state = await app.asGuest().get('/a/b/api/auth/acme/login').set(PAGE);
    for (const line of (state.headers['set-cookie'] as unknown as string[] | undefined) ?? [])
      expect(line).toMatch(/^__Secure-oauth_state_acme=.*; Path=\/a\/b(;|$)/);
  });
});
