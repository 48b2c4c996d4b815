import { createPublicKey, sign } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { defineProvider } from '../../../src/sign-in/social/providers/define-provider.js';
import { openIdIdentity } from '../../../src/sign-in/social/providers/provider-profile.js';
import { GARBAGE, SILENCE } from '../../support/hostile-responses.js';
import { CLIENT, HostileProvider, newKey } from '../../support/hostile-provider.js';
import { comeBack, exchange, freshBrowser, signInBy, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';
import { sampled } from '../../support/sampled.js';

/** A custom provider with the same issuer. */
const OWN = defineProvider({
  name: 'acme',
  issuer: ({ base }) => String(base),
  scopes: ['email'],
  settings: { base: { expects: 'be an address', accepts: (value) => typeof value === 'string', required: true } },
  identity: (claims) => ({ ...openIdIdentity(claims), firstName: claims['nickname'] }),
});

describe.each([
  ['that settings alone describe', undefined],
  ['that a team defined', OWN],
])('a hostile provider %s', (_, own) => {
  const provider = new HostileProvider();
  let app: TestApp;
  const otherKey = newKey();

  beforeAll(async () => {
    await provider.start();
    const settings = own === undefined ? {} : { issuer: undefined, base: provider.issuer };
    const definition = { providers: own === undefined ? [] : [own] };
    app = await startSocialApp({ acme: provider.settings({ timeout_seconds: 0.7, ...settings }) }, { definition });
  });

  beforeEach(() => {
    provider.reset();
    provider.nowMs = () => app.clock.nowMs();
    // Expires the cached metadata of the provider.
    app.clock.advance(7_200);
  });

  afterEach(async () => {
    await app.asGuest().get('/api/auth/methods').expect(200);
    const made = await app.sql('SELECT subject FROM identities');
    await app.sql('DELETE FROM users');
    expect(made).toEqual([]);
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  /** Returns the refusal, which must be the same for a browser and for other clients. */
  async function refusal(): Promise<string> {
    const landed = await signInBy(app, 'acme');
    const browser = freshBrowser(app);
    const page = await browser.visit(await comeBack(browser, 'acme'), { accept: '*/*' });
    const { code, data } = JSON.parse(page.body) as { code: string; data: { error: string } };
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(landed).toBe(`/dash/login#error=${data.error}`);
    return `${code} ${data.error}`;
  }

  const FORGERIES: Readonly<Record<string, (claims: JWTPayload) => unknown>> = {
    'alg none': (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
    'alg NONE with the kid of a key': (claims) => `${encode({ alg: 'NONE', kid: 'first' })}.${encode(claims)}.`,
    'another key': (claims) => provider.sign(claims, {}, otherKey),
    'an unknown key': (claims) => provider.sign(claims, { kid: 'second' }, otherKey),
    'a key in its own header': async (claims) =>
      provider.sign(claims, { jwk: await exportJWK(createPublicKey(otherKey)), kid: undefined }, otherKey),
    'the public key as a shared secret': async (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(Buffer.from(createPublicKey(provider.privateKey).export({ type: 'spki', format: 'pem' }))),
    'the client secret as a key': (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.secret)),
    'claims that were changed': async (claims) => {
      const [header, , signature] = (await provider.sign(claims)).split('.');
      return `${header}.${encode({ ...claims, sub: 'admin' })}.${signature}`;
    },
    'no signature': async (claims) => (await provider.sign(claims)).replace(/[^.]+$/, ''),
    'an extension that must be understood': (claims) => {
      const input = `${encode({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 })}.${encode(claims)}`;
      return `${input}.${sign('sha256', Buffer.from(input), provider.privateKey).toString('base64url')}`;
    },
    'two parts': () => 'a.b',
    'an object': () => ({ sub: 'person' }),
    'a number': () => 1,
    'a list': () => [],
    null: () => null,
    nothing: () => undefined,
    'an empty text': () => '',
    'claims null': () => `${encode({ alg: 'RS256', kid: 'first' })}.${encode(null)}.AAAA`,
    'a million characters': () => 'x'.repeat(300_000),
  };

  it.each(sampled(Object.entries(FORGERIES)))('is rejected with a forged ID token: %s', async (_name, forge) => {
    provider.forge = forge;
    expect(await refusal()).toBe('502 provider_failed');
  });

  const now = (): number => Math.floor(app.clock.nowMs() / 1_000);
  const CLAIMS: readonly [string, () => Record<string, unknown>][] = [
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['its issuer with a slash', () => ({ iss: `${provider.issuer}/` })],
    ['a list of issuers', () => ({ iss: [provider.issuer] })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'somebody-else' })],
    ['other audiences', () => ({ aud: ['a', 'b'] })],
    ['no audience', () => ({ aud: undefined })],
    ['several audiences and no authorized party', () => ({ aud: [CLIENT.id, 'b'] })],
    ['several audiences and another authorized party', () => ({ aud: [CLIENT.id, 'b'], azp: 'b' })],
    ['another authorized party', () => ({ azp: 'somebody-else' })],
    ['an authorized party that is not text', () => ({ azp: [CLIENT.id] })],
    ['an expiry in the past', () => ({ exp: now() - 60 })],
    ['no expiry', () => ({ exp: undefined })],
    ['an expiry that is text', () => ({ exp: '9999999999' })],
    ['a beginning in the future', () => ({ nbf: now() + 3_600 })],
    ['no time of issue', () => ({ iat: undefined })],
    ['a time of issue long ago', () => ({ iat: now() - 1_000 })],
    ['a time of issue in the future', () => ({ iat: now() + 60 })],
    ['a time of issue that is text', () => ({ iat: String(now()) })],
    ['an expiry in a hundred years', () => ({ exp: now() + 3_153_600_000 })],
    ['another nonce', () => ({ nonce: 'x'.repeat(20) })],
    ['no nonce', () => ({ nonce: undefined })],
    ['a nonce that is null', () => ({ nonce: null })],
    ['a nonce that is a list', () => ({ nonce: ['x'] })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject that is a number', () => ({ sub: 1 })],
    ['a subject that is an object', () => ({ sub: { toString: 'x' } })],
    ['a subject with a NUL', () => ({ sub: 'a\u0000b' })],
    ['an over-long subject', () => ({ sub: 'x'.repeat(256) })],
  ];

  it.each([
    ['as usual', () => ({})],
    ['ten minutes ago, for a month', () => ({ iat: now() - 600, exp: now() + 2_592_000 })],
    ['by a clock that is a little ahead', () => ({ iat: now() + 20 })],
  ])('is accepted with a valid ID token, created %s', async (_name, claims) => {
    provider.claims = claims();
    expect(await signInBy(app, 'acme')).toMatch(/#code=/);
    await app.sql('DELETE FROM users');
  });

  it.each(sampled(CLAIMS))('is rejected with an ID token that has %s', async (_name, claims) => {
    provider.claims = claims();
    expect(await refusal()).toBe('502 provider_failed');
  });

  describe.each(['/token', '/jwks', '/userinfo'])('at %s', (path) => {
    it.each(sampled(Object.entries(GARBAGE)))('is rejected with %s', async (_name, behaviour) => {
      provider.script.set(path, behaviour);
      expect(await refusal()).toBe('502 provider_failed');
    });

    it.each(sampled(Object.entries(SILENCE)))('is rejected when %s', async (_name, behaviour) => {
      provider.script.set(path, behaviour);
      expect(await refusal()).toBe('503 provider_unavailable');
    });
  });

  it.each([
    ['no keys', '{}'],
    ['keys that are not a list', { keys: {} }],
    ['invalid keys', { keys: [null, 1, 'x'] }],
    ['a key without parts', { keys: [{ kty: 'RSA', kid: 'first' }] }],
    ['a shared secret', { keys: [{ kty: 'oct', k: 'AAAA', kid: 'first' }] }],
    [
      'an endless list',
      { keys: Array.from({ length: 2_000 }, () => ({ kty: 'RSA', kid: 'x', n: 'AQAB', e: 'AQAB' })) },
    ],
  ])('is rejected with a key set of %s', async (_name, keys) => {
    provider.script.set('/jwks', keys);
    expect(await refusal()).toBe('502 provider_failed');
  });

  it.each([
    ['another subject', { sub: 'somebody-else' }],
    ['no subject', { sub: undefined }],
    ['a subject in a list', { sub: ['person'] }],
  ])('is rejected with userinfo of %s', async (_name, userinfo) => {
    provider.userinfo = userinfo;
    expect(await refusal()).toBe('502 provider_failed');
  });

  it.each([
    ['none', {}],
    ['null', { access_token: null, id_token: 'x' }],
    ['a list', { access_token: ['x'], id_token: 'x' }],
    ['an object', { access_token: {}, id_token: 'x' }],
    ['one with a line break', { access_token: 'a\r\nx-injected: 1', id_token: 'x' }],
    ['an empty one', { access_token: '', id_token: 'x' }],
  ])('is rejected with an access token that is %s', async (_name, answer) => {
    provider.script.set('/token', answer);
    expect(await refusal()).toBe('502 provider_failed');
  });

  it('is rejected when its response names another issuer', async () => {
    for (const other of [{ iss: 'https://evil.example' }, { iss: '' }, { iss: 'x', error: 'access_denied' }]) {
      provider.answer = other as Record<string, string>;
      expect(await refusal()).toBe('502 provider_failed');
    }
    expect(provider.seen).toEqual([]);
  });

  it('is rejected if it supports the parameter iss and omits it', async () => {
    provider.discovery = { authorization_response_iss_parameter_supported: true };
    await app.asGuest().get('/api/auth/acme/login');
    app.clock.advance(1);
    provider.answer = {};
    await settle();
    expect(await refusal()).toBe('502 provider_failed');
    provider.answer = { iss: provider.issuer, error: 'access_denied' };
    expect(await refusal()).toBe('401 provider_denied');
  });

  it.each([
    ['access_denied', '401 provider_denied'],
    ['login_required', '401 provider_denied'],
    ['<script>alert(1)</script>', '401 provider_denied'],
    ['', '401 provider_denied'],
    ['server_error', '503 provider_unavailable'],
    ['temporarily_unavailable', '503 provider_unavailable'],
  ])('rejects with the error %j', async (error, expected) => {
    provider.answer = { error, error_description: 'x', code: 'a-code-too' };
    expect(await refusal()).toBe(expected);
    expect(provider.seen).toEqual([]);
  });

  it('leaves nothing of its responses in the log', async () => {
    provider.answer = { error: 'forged\nline', error_description: 'leak-one' };
    await refusal();
    provider.reset();
    provider.claims = { iss: 'leak-two' };
    await refusal();
    provider.script.set('/token', { error: 'leak-three', access_token: 'leak-four' });
    await refusal();
    expect(app.log.join('')).not.toMatch(/leak-|forged|an-access-token/);
  });

  /** Waits until the metadata were read again in the background. */
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
});

describe('a valid provider with the same values', () => {
  it('is accepted', async () => {
    const provider = new HostileProvider();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings() });
    try {
      provider.userinfo = { email: 'other@example.com' };
      provider.claims = { aud: [CLIENT.id, 'b'], azp: CLIENT.id };
      await exchange(app, await signInBy(app, 'acme'));
      expect(await app.sql('SELECT email FROM users')).toEqual([{ email: 'person@example.com' }]);
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
