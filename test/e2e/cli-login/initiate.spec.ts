import { initiate, nativeApp } from '../../support/native-app.js';
import { useTestApp } from '../../support/test-app.js';

const INITIATE = '/api/auth/cli/initiate';
const { challenge } = nativeApp();
const GOOD = { redirect_uri: 'http://127.0.0.1:49152/callback', correlation: 'abc', code_challenge: challenge };

function payloadOf(carrier: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(carrier.split('.')[0]!, 'base64url').toString()) as Record<string, unknown>;
}

describe('POST /api/auth/cli/initiate', () => {
  const world = useTestApp({
    env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'app.example.com, Other.example' },
  });
  const post = (body: unknown) => world.app.asGuest().post(INITIATE, body);

  describe('200', () => {
    it('returns a carrier and the URL to open', async () => {
      const { body, headers } = await post(GOOD).expect(200);
      expect(body).toEqual({ carrier: expect.any(String), authorize_url: `/dash/login?cli=${body.carrier}` });
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['set-cookie']).toBeUndefined();
      expect(payloadOf(body.carrier)).toEqual({
        jti: expect.any(String),
        ...GOOD,
        exp: expect.any(Number),
      });
    });

    it.each([
      'http://[::1]:1/x',
      'https://localhost/x?y=1',
      'http://localhost:65535',
      'https://app.example.com/callback',
      'https://app.example.com:8443/callback',
      'https://other.example/callback',
    ])('allows a redirect to %s', (redirect_uri) => post({ ...GOOD, redirect_uri }).expect(200));

    it('returns the correlation unchanged, and a new carrier for each sign-in', async () => {
      const correlation = `ünï ✓ "quotes" <b> & = + % ${'x'.repeat(480)}`;
      const carriers = [];
      for (let count = 0; count < 2; count += 1) {
        const { body } = await post({ ...GOOD, correlation }).expect(200);
        expect(payloadOf(body.carrier)['correlation']).toBe(correlation);
        carriers.push(body.carrier);
      }
      expect(carriers[0]).not.toBe(carriers[1]);
    });

    it('creates carriers for the largest request that fit in a URL', async () => {
      const redirectUri = `http://127.0.0.1:49152/${'x'.repeat(1_977)}`;
      expect(redirectUri).toHaveLength(2_000);
      const carrier = await initiate(world.app, nativeApp({ redirectUri, correlation: '✓'.repeat(512) }));
      expect(carrier.length).toBeLessThan(8_192);
    });
  });

  describe('400 redirect_uri_not_allowed', () => {
    it.each([
      'not an address',
      'http://app.example.com/callback',
      'https://sub.app.example.com/callback',
      'https://app.example.com.evil.example/callback',
      'https://evil.example/callback',
      'http://127.1/callback',
      'http://2130706433/callback',
      'http://localhost.evil.example/callback',
      'http://127.0.0.1@evil.example/callback',
      'http://127.0.0.1\\@evil.example/callback',
      'http://127.0.0.1/callback#x',
      'http://127.0.0.1/call\nback',
      'http://127.0.0.1\u0000/callback',
      ' http://127.0.0.1/callback',
      'javascript:alert(1)',
      'com.example.app:/callback',
      'http://127.0.0.1/callback?code=1',
    ])('rejects %j', async (redirect_uri) => {
      const { body } = await post({ ...GOOD, redirect_uri }).expect(400);
      expect(body).toEqual({ code: '400', message: expect.any(String), data: { error: 'redirect_uri_not_allowed' } });
    });
  });

  describe('422', () => {
    it('names every missing field', async () => {
      const { body } = await post({}).expect(422);
      expect((body.data.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual([
        'code_challenge',
        'correlation',
        'redirect_uri',
      ]);
    });

    it.each([
      ['redirect_uri', [GOOD.redirect_uri]],
      ['redirect_uri', 7],
      ['redirect_uri', { href: GOOD.redirect_uri }],
      ['redirect_uri', null],
      ['redirect_uri', ''],
      ['redirect_uri', `http://127.0.0.1/${'x'.repeat(2_000)}`],
      ['correlation', null],
      ['correlation', ''],
      ['correlation', 7],
      ['correlation', 'x'.repeat(513)],
      ['correlation', 'a\r\nSet-Cookie: x=y'],
      ['correlation', '\ud800'],
      ['code_challenge', null],
      ['code_challenge', ''],
      ['code_challenge', [challenge]],
      ['code_challenge', challenge.slice(1)],
      ['code_challenge', `${challenge}=`],
      ['code_challenge', `${challenge}A`],
      ['code_challenge', `${challenge.slice(1)}+`],
      ['code_challenge', `${challenge.slice(1)} `],
      ['code_challenge', `${challenge.slice(1)}\n`],
    ])('rejects %s %j', async (field, value) => {
      const { body } = await post({ ...GOOD, [field]: value }).expect(422);
      expect(body.data.error).toBe('validation_failed');
      expect(body.data.errors).toEqual([{ field, code: expect.any(String), message: expect.any(String) }]);
    });
  });

  it('rejects a form', () => world.app.asGuest().post(INITIATE).type('form').send(GOOD).expect(415));
});
