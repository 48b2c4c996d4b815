import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { HostileProvider } from '../../support/hostile-provider.js';
import { addAuthenticator } from '../../support/second-factors.js';
import { APP, exchange, freshBrowser, meBy, signInBy, startSocialApp, stepUpBy } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const OTHER_TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
const EMAILS = '/api/v3/user/emails';

describe('presets', () => {
  const google = new HostileProvider();
  const microsoft = new HostileProvider('/common/v2.0');
  const apple = new HostileProvider();
  const github = new HostileProvider();
  const all = [google, microsoft, apple, github];
  const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let app: TestApp;

  beforeAll(async () => {
    await Promise.all(all.map((provider) => provider.start()));
    microsoft.discovery = { issuer: `${microsoft.origin}/{tenantid}/v2.0` };
    apple.discovery = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    app = await startSocialApp({
      google: google.settings(),
      microsoft: microsoft.settings(),
      apple: apple.settings({
        client_secret: undefined,
        team_id: 'TEAM000001',
        key_id: 'KEY0000001',
        private_key: appleKey.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }),
      github: github.settings(),
    });
    await settle();
  });

  beforeEach(() => {
    all.forEach((provider) => provider.reset());
    microsoft.discovery = { issuer: `${microsoft.origin}/{tenantid}/v2.0` };
    apple.discovery = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    microsoft.claims = { iss: `${microsoft.origin}/${TENANT}/v2.0`, tid: TENANT, email_verified: undefined };
    github.script.set('/api/v3/user', { id: 42, login: 'person', email: 'public@example.com' });
    github.script.set(EMAILS, [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'person@example.com', primary: true, verified: true },
    ]);
  });

  afterEach(async () => {
    await app.sql('DELETE FROM users');
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all(all.map((provider) => provider.stop()));
  });

  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
  const authorization = async (name: string): Promise<URLSearchParams> =>
    new URL((await freshBrowser(app).visit(`${APP}/api/auth/${name}/login`)).location ?? '').searchParams;

  it('google: uses only the ID token', async () => {
    google.script.set('/userinfo', '<html>');
    expect(await meBy(app, 'google')).toMatchObject({ email: 'person@example.com', provider: 'google' });
  });

  describe('microsoft', () => {
    it('does not verify an address by its claims', async () => {
      for (const claims of [{}, { email_verified: true }, { xms_edov: false }, { xms_edov: 0 }, { xms_edov: 'x' }]) {
        microsoft.claims = { ...microsoft.claims, xms_edov: undefined, ...claims };
        expect(await signInBy(app, 'microsoft')).toBe('/dash/login#error=email_not_verified');
      }
      expect(await app.sql('SELECT 1 FROM users')).toEqual([]);
    });

    it('accepts an address whose domain the tenant has verified', async () => {
      microsoft.claims = { ...microsoft.claims, xms_edov: true };
      expect(await meBy(app, 'microsoft')).toMatchObject({ email: 'person@example.com' });
      expect(await app.sql('SELECT issuer FROM identities')).toEqual([
        { issuer: `${microsoft.origin}/${TENANT}/v2.0` },
      ]);
    });

    it.each([
      ['the template itself', () => ({ iss: `${microsoft.origin}/{tenantid}/v2.0` })],
      ['another tenant than it names', () => ({ tid: OTHER_TENANT })],
      ['no tenant', () => ({ tid: undefined })],
      ['a tenant that is no id', () => ({ tid: 'common', iss: `${microsoft.origin}/common/v2.0` })],
      ['another origin', () => ({ iss: `https://evil.example/${TENANT}/v2.0` })],
      ['a path around it', () => ({ tid: '../x', iss: `${microsoft.origin}/../x/v2.0` })],
    ])('rejects an ID token of %s', async (_name, claims) => {
      microsoft.claims = { ...microsoft.claims, xms_edov: true, ...claims() };
      expect(await signInBy(app, 'microsoft')).toBe('/dash/login#error=provider_failed');
    });
  });

  describe('apple', () => {
    it('uses a form post, and authenticates with a secret signed for the request', async () => {
      apple.claims = { email_verified: 'true' };
      expect(Object.fromEntries(await authorization('apple'))).toMatchObject({
        response_mode: 'form_post',
        scope: 'openid name email',
      });
      expect(await meBy(app, 'apple')).toMatchObject({ email: 'person@example.com' });
      const { form, authorization: header } = apple.seen.at(-1) ?? {};
      const secret = form?.get('client_secret') ?? '';
      expect(header).toBeUndefined();
      expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY0000001' });
      expect(decodeJwt(secret)).toMatchObject({ iss: 'TEAM000001', sub: 'lintel-tests', aud: apple.issuer });
      await jwtVerify(secret, appleKey.publicKey, { maxTokenAge: 10, currentDate: app.clock.now() });
    });

    it('does not treat "false" as verified', async () => {
      apple.claims = { email_verified: 'false' };
      expect(await signInBy(app, 'apple')).toBe('/dash/login#error=email_not_verified');
    });
  });

  describe('github', () => {
    it('uses the primary verified address, and the id as subject', async () => {
      expect(Object.fromEntries(await authorization('github'))).toMatchObject({
        scope: 'read:user user:email',
        code_challenge_method: 'S256',
        response_type: 'code',
      });
      expect(await meBy(app, 'github')).toMatchObject({ email: 'person@example.com', provider: 'github' });
      expect(await app.sql('SELECT issuer, subject FROM identities')).toEqual([
        { issuer: github.issuer, subject: '42' },
      ]);
    });

    it.each([
      ['unverified', [{ email: 'person@example.com', primary: true, verified: false }]],
      ['not primary', [{ email: 'person@example.com', primary: false, verified: true }]],
      ['verified by a text instead of a boolean', [{ email: 'person@example.com', primary: 'true', verified: 'true' }]],
      ['missing', []],
      ['no text', [{ email: ['person@example.com'], primary: true, verified: true }]],
      ['among garbage', [null, 1, 'x', [], { primary: true }]],
    ])('creates no account for an address that is %s', async (_name, emails) => {
      github.script.set(EMAILS, emails);
      expect(await signInBy(app, 'github')).toBe('/dash/login#error=email_not_verified');
      expect(await app.sql('SELECT 1 FROM users')).toEqual([]);
    });

    it.each([
      ['/api/v3/user', {}],
      ['/api/v3/user', { id: '42' }],
      ['/api/v3/user', { id: 1.5 }],
      ['/api/v3/user', { id: 0 }],
      ['/api/v3/user', []],
      ['/api/v3/user', 'null'],
      ['/api/v3/user', '<html>'],
      [EMAILS, {}],
      [EMAILS, 'null'],
      [EMAILS, '"x"'],
      ['/login/oauth/access_token', { error: 'bad_verification_code' }],
      ['/login/oauth/access_token', { access_token: ['x'] }],
    ])('rejects invalid responses at %s: %j', async (path, answer) => {
      github.script.set(path, answer);
      expect(await signInBy(app, 'github')).toBe('/dash/login#error=provider_failed');
    });
  });

  it.each(['google', 'microsoft', 'apple', 'github'])(
    '%s: starts nothing while a second factor is pending',
    async (name) => {
      microsoft.claims = { ...microsoft.claims, xms_edov: true };
      const token = await exchange(app, await signInBy(app, name));
      expect(await stepUpBy(app, token, name)).toBe(`/dash/account#proven=${name}`);
      await addAuthenticator(app, token);
      const count = async (text: string): Promise<number> => (await app.sql(text)).length;
      const sessions = (): Promise<number> => count('SELECT 1 FROM sessions');
      const codes = (): Promise<number> => count(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange'`);
      const before = [await sessions(), await codes()];
      expect(await signInBy(app, name)).toMatch(/^\/dash\/login#error=mfa_required&mfa=[\w-]{43}&methods=totp$/);
      expect([await sessions(), await codes()]).toEqual(before);
    },
  );

  it('authenticate with their secret', async () => {
    await meBy(app, 'google');
    const basic = Buffer.from('lintel-tests:a+client+secret+of+the+tests').toString('base64');
    expect(google.seen.at(-1)?.authorization).toBe(`Basic ${basic}`);
    expect(google.seen.at(-1)?.form.get('client_secret')).toBeNull();
    await meBy(app, 'github');
    expect(github.seen.at(-1)?.form.get('client_secret')).toBe('a client secret of the tests');
  });
});
