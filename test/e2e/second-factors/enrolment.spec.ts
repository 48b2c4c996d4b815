import { AccountService } from '../../../src/identity/auth/account.service.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { CookieJar } from '../../support/browser-session.js';
import { initiate } from '../../support/native-app.js';
import { PASSWORD, signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { addAuthenticator, codeAt, halfway, refusedForFactor, stepNow } from '../../support/second-factors.js';
import { type Proven, SignInWays, WAYS } from '../../support/sign-in-methods.js';
import { APP, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

interface Begun {
  readonly id: string;
  readonly secret: string;
}

describe('a sign-in without the required second factor', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let app: TestApp;
  let role: string;
  let root: string;
  let ways: SignInWays;
  let carried: Proven;

  beforeAll(async () => {
    await provider.start();
    const env = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' };
    app = await startSocialApp({ acme: provider.settings() }, { env });
    root = (await signedIn(app, { roles: ['admin'] })).token;
    const body = { name: 'careful', mfa: 'required' };
    const answer = await app.as(root).post('/api/content/roles', body).expect(201);
    role = (answer.body as { data: { id: string } }).data.id;
  });

  beforeEach(async () => {
    ways = new SignInWays(app);
    carried = await ways.prove();
    const { person } = carried;
    provider.signsIn = { sub: person.id, email: person.email, email_verified: true };
    const roles = { $add: [{ id: role }] };
    await app.as(root).patch(`/api/content/users/${person.id}`, { roles }).expect(200);
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const count = async (text: string): Promise<number> => (await app.sql(text, [carried.person.id])).length;
  const sessions = () => count('SELECT 1 FROM sessions WHERE user_id = $1');
  const codes = () => count(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`);
  const errorOf = (body: unknown) => (body as { data: { error?: string } }).data.error;
  const begin = async (mfa_token: string): Promise<Begun> => {
    const { body } = await app.asGuest().post('/api/auth/mfa/totp', { mfa_token, name: 'Phone' }).expect(200);
    return (body as { data: Begun }).data;
  };
  const confirm = ({ id, secret }: Begun, mfa_token: string) =>
    app.asGuest().post('/api/auth/mfa/totp/confirm', { mfa_token, id, code: codeAt(secret, stepNow(app)) });

  it.each(WAYS.filter((way) => !way.includes('/mfa/')))(
    'is rejected, with neither session nor code: %s',
    async (way) => {
      const before = { sessions: await sessions(), codes: await codes() };
      const { error, status } = await ways.take(way);
      expect(error).toBe('mfa_enrollment_required');
      if (way.startsWith('POST')) expect(status).toBe(401);
      if (way.includes('provider')) expect(ways.landed).toMatch(/&mfa=[\w-]{43}&methods=passkey,totp/);
      expect(await sessions()).toBe(before.sessions);
      expect(await codes()).toBe(way.endsWith('/exchange') ? before.codes - 1 : before.codes);
    },
  );

  it('returns how to continue', async () => {
    const body = { login: carried.person.email, password: PASSWORD };
    const answer = await app.asGuest().post('/api/auth/local/login', body).expect(401);
    expect(answer.body).toEqual({
      code: '401',
      message: 'Add a second factor to continue.',
      data: {
        error: 'mfa_enrollment_required',
        mfa_token: expect.any(String),
        expires_in: 300,
        methods: expect.arrayContaining(['totp']),
      },
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('adds the factor with the returned token, and gets a session with two factors', async () => {
    const mfa_token = await refusedForFactor(app, carried.person);
    const begun = await begin(mfa_token);
    const before = await sessions();
    expect(
      errorOf(
        (await app.asGuest().post('/api/auth/mfa/totp/confirm', { mfa_token, id: begun.id, code: '000000' })).body,
      ),
    ).toBe('mfa_invalid');
    const { body } = await confirm(begun, mfa_token).expect(200);
    expect(Object.keys(body as object).sort()).toEqual(['expires', 'refresh_token', 'refresh_token_expires', 'token']);
    await app
      .as((body as { token: string }).token)
      .get('/api/auth/sessions')
      .expect(200);
    expect(await sessions()).toBe(before + 1);
    const [row] = await app.sql('SELECT amr, level FROM sessions WHERE user_id = $1 ORDER BY id DESC', [
      carried.person.id,
    ]);
    expect(row).toEqual({ amr: ['password', 'totp'], level: 2 });
    app.clock.advance(30);
    expect(errorOf((await confirm(begun, mfa_token)).body)).toBe('mfa_token_invalid');
    expect(await halfway(app, carried.person)).toEqual(expect.any(String));
  });

  it('gets a browser session on the Lintel page', async () => {
    const browser = new CookieJar(app);
    const login = { login: carried.person.email, password: PASSWORD };
    const { body } = await browser.post('/api/auth/local/login', login);
    const { mfa_token } = (body as { data: { mfa_token: string } }).data;
    const { id, secret } = await begin(mfa_token);
    const done = await browser.post('/api/auth/mfa/totp/confirm', {
      mfa_token,
      id,
      code: codeAt(secret, stepNow(app)),
    });
    expect(Object.keys(done.body as object).sort()).toEqual(['expires', 'token']);
    expect((await browser.resume()).status).toBe(200);
  });

  it('continues to an app with its carrier, without another code, and with no other carrier', async () => {
    const { person, carrier, native } = carried;
    const { body } = await app
      .asGuest()
      .post('/api/auth/cli/login/local', { carrier, login: person.email, password: PASSWORD });
    const { mfa_token } = (body as { data: { mfa_token: string } }).data;
    const answer = await confirm(await begin(mfa_token), mfa_token).expect(200);
    const next = (answer.body as { data: { mfa_token: string } }).data.mfa_token;
    const other = await initiate(app, native);
    const finish = (bound: string) =>
      app.asGuest().post('/api/auth/cli/login/mfa', { carrier: bound, mfa_token: next, method: 'totp' });
    expect(errorOf((await finish(other)).body)).toBe('mfa_token_invalid');
    const verify = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token: next, method: 'totp' });
    expect(errorOf(verify.body)).toBe('mfa_token_invalid');
    const { headers } = await finish(carrier).expect(302);
    const code = new URL(headers['location'] as string).searchParams.get('code');
    await app.asGuest().post('/api/auth/exchange', { code, code_verifier: native.verifier }).expect(200);
  });

  it.each([
    ['GET', '/api/auth/me'],
    ['GET', '/api/auth/mfa'],
    ['GET', '/api/auth/sessions'],
    ['POST', '/api/auth/mfa/recovery-codes'],
    ['POST', '/api/auth/mfa/step-up'],
    ['POST', '/api/auth/keys'],
    ['POST', '/api/auth/logout'],
    ['DELETE', '/api/auth/me'],
    ['POST', '/api/content/users'],
  ] as const)('can only enrol with the token: %s %s', async (method, path) => {
    const mfa_token = await refusedForFactor(app, carried.person);
    const guest = app.asGuest();
    const asBearer = app.as(mfa_token);
    const sent = { mfa_token, name: 'x', method: 'totp', code: '000000' };
    const send = (client: typeof guest) => {
      if (method === 'GET') return client.get(path);
      return method === 'DELETE' ? client.delete(path) : client.post(path, sent);
    };
    for (const client of [guest, asBearer]) expect([path, (await send(client)).status]).toEqual([path, 401]);
  });

  it('cannot prove a factor with an enrolment token, nor enrol with a factor token', async () => {
    const mfa_token = await refusedForFactor(app, carried.person);
    const verify = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code: '000000' });
    expect(errorOf(verify.body)).toBe('mfa_token_invalid');
    await confirm(await begin(mfa_token), mfa_token).expect(200);
    const waiting = await halfway(app, carried.person);
    const answer = await app.asGuest().post('/api/auth/mfa/totp', { mfa_token: waiting });
    expect(errorOf(answer.body)).toBe('mfa_token_invalid');
  });

  it('adds no second one if the owner added a factor meanwhile', async () => {
    const mfa_token = await refusedForFactor(app, carried.person);
    const begun = await begin(mfa_token);
    const { body } = await app
      .asGuest()
      .post('/api/auth/token/refresh', { refresh_token: carried.refreshToken })
      .expect(200);
    await addAuthenticator(app, (body as { token: string }).token);
    const before = await sessions();
    expect(errorOf((await confirm(begun, mfa_token)).body)).toBe('mfa_token_invalid');
    expect(errorOf((await app.asGuest().post('/api/auth/mfa/totp', { mfa_token })).body)).toBe('mfa_token_invalid');
    expect(await sessions()).toBe(before);
  });

  it('succeeds once for concurrent requests', async () => {
    const mfa_token = await refusedForFactor(app, carried.person);
    const begun = await Promise.all(Array.from({ length: 4 }, () => begin(mfa_token)));
    const before = await sessions();
    const answers = await Promise.all(Array.from({ length: 16 }, (_, index) => confirm(begun[index % 4]!, mfa_token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    expect(await sessions()).toBe(before + 1);
    expect(await count('SELECT 1 FROM totp_factors WHERE user_id = $1 AND expires_at IS NULL')).toBe(1);
  });

  it.each(['five minutes have passed', 'its password was changed', 'the account was deactivated'])(
    'is cancelled when %s',
    async (what) => {
      const mfa_token = await refusedForFactor(app, carried.person);
      const begun = await begin(mfa_token);
      if (what.startsWith('five')) app.clock.advance(301);
      else if (what.startsWith('its'))
        await app.get(AccountService).setPassword(carried.person.id, 'another walnut 48');
      else await app.as(root).patch(`/api/content/users/${carried.person.id}`, { activated: false }).expect(200);
      if (what.startsWith('five')) root = (await signedIn(app, { roles: ['admin'] })).token;
      expect(errorOf((await confirm(begun, mfa_token)).body)).toBe('mfa_token_invalid');
    },
  );
});

describe('a sign-in without a required factor', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startSocialApp({});
  });
  afterAll(() => app?.stop());

  it('needs no additional statement', async () => {
    const { person } = await signedIn(app);
    const login = () =>
      app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD }).expect(200);
    await login();
    const sent = await statementsOf(login);
    expect(sent.filter(({ text }) => text.includes('user_roles'))).toEqual([]);
  });
});
