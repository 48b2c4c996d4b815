import { nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const LISTED = 'https://app.example.com/signed-in';
const LOCAL = 'http://localhost:5173/';
const { challenge, verifier } = nativeApp();
const GOOD = { redirect_uri: LISTED, state: 'abc', code_challenge: challenge, code_challenge_method: 'S256' };

function open(app: TestApp, query: Readonly<Record<string, string>> | string) {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return app.asGuest().get(`/api/auth/authorize?${text}`);
}

function carrierOf(location: string): { text: string; payload: Record<string, unknown> } {
  const text = /^\/dash\/login\?cli=([\w.-]+)$/.exec(location)?.[1] ?? '';
  return { text, payload: JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString()) };
}

/** Addresses that resemble the listed or the local one. */
const NEARLY = [
  'https://app.example.com/signed-in/',
  'https://app.example.com/signed-in?',
  'https://app.example.com/signed-in?x=1',
  'https://app.example.com/signed-in#',
  'https://app.example.com/signed-in#x',
  'https://app.example.com/Signed-in',
  'https://app.example.com/signed-in/../other',
  'https://app.example.com/other/../signed-in',
  'https://app.example.com/./signed-in',
  'https://app.example.com//signed-in',
  'https://app.example.com/signed%2Din',
  'https://app.example.com/%73igned-in',
  'https://app.example.com/signed-in%20',
  'https://app.example.com/signed-in%00',
  'https://app.example.com/signed-in.html',
  'https://app.example.com/signed-in;x',
  'https://app.example.com/signed',
  'https://app.example.com/',
  'https://app.example.com',
  'https://app.example.com:443/signed-in',
  'https://app.example.com:8443/signed-in',
  'https://app.example.com:/signed-in',
  'https://app.example.com./signed-in',
  'https://APP.example.com/signed-in',
  'HTTPS://app.example.com/signed-in',
  'http://app.example.com/signed-in',
  'https://sub.app.example.com/signed-in',
  'https://example.com/signed-in',
  'https://app.example.com.evil.example/signed-in',
  'https://evil.example/https://app.example.com/signed-in',
  'https://evil.example/signed-in',
  'https://evil.example?https://app.example.com/signed-in',
  'https://evil.example#https://app.example.com/signed-in',
  'https://app.example.com@evil.example/signed-in',
  'https://user:x@app.example.com/signed-in',
  'https://app.example.com:x@evil.example/signed-in',
  'https://app.example.com\\@evil.example/signed-in',
  'https:\\\\app.example.com\\signed-in',
  'https:/app.example.com/signed-in',
  'https:app.example.com/signed-in',
  '//app.example.com/signed-in',
  '/signed-in',
  'signed-in',
  'app.example.com/signed-in',
  ' https://app.example.com/signed-in',
  'https://app.example.com/signed-in ',
  'https://app.example.com/signed-in\n',
  'https://app.example.com/signed-in\r\nLocation: https://evil.example',
  'https://app.example.com\t/signed-in',
  'https://app.example.com/signed-in\u0000',
  'https://app.example.com/signed-in\u200b',
  'https://ａpp.example.com/signed-in',
  'https://app。example.com/signed-in',
  'https://аpp.example.com/signed-in',
  'https://app.example.com/signed-in,http://localhost:5173/',
  '*',
  'https://*.example.com/signed-in',
  'javascript:alert(1)//https://app.example.com/signed-in',
  'data:text/html,https://app.example.com/signed-in',
  'com.example.app:/signed-in',
  'http://localhost:5173',
  'http://localhost:5174/',
  'http://127.0.0.1:5173/',
  'http://[::1]:5173/',
  'http://LOCALHOST:5173/',
  'http://localhost:5173/x',
  'https://localhost:5173/',
  'http://localhost:05173/',
];

describe('GET /api/auth/authorize', () => {
  const world = useTestApp({
    env: {
      AUTH_CLI_LOGIN_ENABLED: 'true',
      AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'tools.example.com',
      AUTH_CLI_ALLOWED_REDIRECT_URIS: `${LISTED}, ${LOCAL}`,
    },
  });

  it.each([LISTED, LOCAL])('redirects to the Lintel page with a carrier for %s', async (redirect_uri) => {
    const { headers } = await open(world.app, { ...GOOD, redirect_uri, response_type: 'code', client_id: 'x' }).expect(
      302,
    );
    const { payload } = carrierOf(headers['location'] as string);
    expect(payload).toMatchObject({ redirect_uri, correlation: 'abc', code_challenge: challenge });
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  it('redirects back to the app after the sign-in, with a code that is valid once and only with its verifier', async () => {
    const { email, id } = await createPerson(world.app);
    const state = `ünï ✓ "quotes" & = + % #`;
    const { headers } = await open(world.app, { ...GOOD, state }).expect(302);
    const { text: carrier } = carrierOf(headers['location'] as string);
    const form = { carrier, login: email, password: PASSWORD };
    const answer = await world.app.asGuest().post('/api/auth/cli/login/local').type('form').send(form).expect(302);
    const back = new URL(answer.headers['location'] as string);
    expect(back.origin + back.pathname).toBe(LISTED);
    expect(back.searchParams.get('state')).toBe(state);
    const code = back.searchParams.get('code');
    const exchange = (code_verifier?: string) =>
      world.app.asGuest().post('/api/auth/exchange', { code, code_verifier });
    const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(verifier)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    const me = await world.app
      .as(good[0]!.body.token as string)
      .get('/api/auth/me')
      .expect(200);
    expect(me.body.id).toBe(id);
  });

  it(`rejects ${NEARLY.length} similar addresses, with an envelope and with a page, and redirects to none`, async () => {
    expect(NEARLY.length).toBeGreaterThan(59);
    for (const redirect_uri of NEARLY) {
      const answer = await open(world.app, { ...GOOD, redirect_uri });
      expect([redirect_uri, answer.status, answer.body.data?.error]).toEqual([
        redirect_uri,
        400,
        'redirect_uri_not_allowed',
      ]);
      const page = await open(world.app, { ...GOOD, redirect_uri }).set('accept', 'text/html');
      expect([redirect_uri, page.status, page.headers['location']]).toEqual([redirect_uri, 400, undefined]);
    }
  });

  it('rejects a host of the native-app flow, because whole addresses are listed', async () => {
    await open(world.app, { ...GOOD, redirect_uri: 'https://tools.example.com/x' }).expect(400);
    const begin = { redirect_uri: 'https://tools.example.com/x', correlation: 'x', code_challenge: challenge };
    await world.app.asGuest().post('/api/auth/cli/initiate', begin).expect(200);
  });

  it.each<[string, string, string]>([
    ['redirect_uri', '', 'required'],
    ['state', '', 'required'],
    ['state', 'x'.repeat(513), 'too_long'],
    ['state', 'a\nb', 'characters_invalid'],
    ['code_challenge', '', 'required'],
    ['code_challenge', 'x', 'code_challenge_invalid'],
    ['code_challenge_method', 'plain', 'value_invalid'],
    ['code_challenge_method', 's256', 'value_invalid'],
    ['response_type', 'token', 'value_invalid'],
    ['response_type', 'code id_token', 'value_invalid'],
  ])('names an invalid %s: %j', async (field, value, code) => {
    const { body } = await open(world.app, { ...GOOD, [field]: value }).expect(422);
    expect(body.data.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('requires the method, because plain challenges are not accepted', async () => {
    const { code_challenge_method: _, ...rest } = GOOD;
    const { body } = await open(world.app, rest).expect(422);
    expect(body.data.errors).toEqual([{ field: 'code_challenge_method', code: 'required', message: 'is required' }]);
  });

  it.each(Object.keys(GOOD))('rejects a second %s', async (name) => {
    const query = `${new URLSearchParams(GOOD).toString()}&${name}=${encodeURIComponent(GOOD[name as keyof typeof GOOD])}`;
    expect([400, 422]).toContain((await open(world.app, query)).status);
    expect([400, 422]).toContain((await open(world.app, `${query}&${name}[x]=1&__proto__[y]=1`)).status);
  });

  it('applies a shortened list to existing carriers', async () => {
    const { email } = await createPerson(world.app);
    const { headers } = await open(world.app, GOOD).expect(302);
    const { text: carrier } = carrierOf(headers['location'] as string);
    const other = await world.app.secondInstance({
      env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_CLI_ALLOWED_REDIRECT_URIS: LOCAL },
    });
    const body = { carrier, login: email, password: PASSWORD };
    const { body: answer } = await other.asGuest().post('/api/auth/cli/login/local', body).expect(400);
    expect(answer.data.error).toBe('carrier_invalid');
    await other.stop();
  });
});

describe('without a list of addresses', () => {
  const env = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'tools.example.com' };
  const world = useTestApp({ env });

  it.each([
    ['http://127.0.0.1:49152/callback', 302],
    ['https://tools.example.com:8443/x', 302],
    ['https://app.example.com/', 400],
    ['http://tools.example.com/x', 400],
  ])('the rules of native apps apply: %s, %i', async (redirect_uri, status) => {
    await open(world.app, { ...GOOD, redirect_uri }).expect(status);
  });
});

describe('switched off', () => {
  const world = useTestApp();

  it('returns 403', async () => {
    expect((await open(world.app, GOOD).expect(403)).body.data.error).toBe('cli_login_disabled');
  });
});
