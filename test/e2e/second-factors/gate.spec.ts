import { AccountService } from '../../../src/identity/auth/account.service.js';
import { MfaTokens } from '../../../src/identity/assurance/mfa-tokens/mfa-tokens.service.js';
import { CookieJar, OWN_PAGE } from '../../support/browser-session.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { createPerson, PASSWORD, signIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { addAuthenticator, codeAt, halfway, secured, stepNow } from '../../support/second-factors.js';
import { type Proven, SignInWays, WAYS } from '../../support/sign-in-methods.js';
import { APP, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

describe('an account with an authenticator app', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let app: TestApp;
  let ways: SignInWays;
  let carried: Proven;
  let secret: string;

  beforeAll(async () => {
    await provider.start();
    const env = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' };
    app = await startSocialApp({ acme: provider.settings() }, { env });
  });

  beforeEach(async () => {
    ways = new SignInWays(app);
    carried = await ways.prove();
    const { person } = carried;
    provider.signsIn = { sub: person.id, email: person.email, email_verified: true };
    ({ secret } = await addAuthenticator(app, await signIn(app, person)));
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const count = async (text: string): Promise<number> => (await app.sql(text, [carried.person.id])).length;
  const sessions = () => count('SELECT 1 FROM sessions WHERE user_id = $1');
  const codes = () => count(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`);

  it.each(WAYS.filter((way) => !way.includes('/mfa/')))(
    'is asked for the code, and has neither session nor code before: %s',
    async (way) => {
      const before = { sessions: await sessions(), codes: await codes() };
      const { error } = await ways.take(way);
      expect(error).toBe('mfa_required');
      expect(await sessions()).toBe(before.sessions);
      expect(await codes()).toBe(way.endsWith('/exchange') ? before.codes - 1 : before.codes);
    },
  );

  it('is asked for the code when an existing session continues to an app', async () => {
    const person = await createPerson(app);
    const browser = new CookieJar(app);
    await browser.signIn(person);
    await addAuthenticator(app, await signIn(app, person));
    const query = new URLSearchParams({
      redirect_uri: 'http://127.0.0.1:49152/in',
      state: 'x',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const { headers } = await app.asGuest().get(`/api/auth/authorize?${query.toString()}`).expect(302);
    const carrier = new URL(headers['location'] as string, app.url).searchParams.get('cli');
    const answer = await browser.post('/api/auth/cli/login/session', { carrier }, OWN_PAGE);
    expect({ status: answer.status, error: answer.body.data?.error }).toEqual({ status: 401, error: 'mfa_required' });
    expect(
      await app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [person.id]),
    ).toEqual([]);
  });

  it('returns what is missing and how to continue', async () => {
    const body = { login: carried.person.email, password: PASSWORD };
    const answer = await app.asGuest().post('/api/auth/local/login', body).expect(401);
    expect(answer.body).toEqual({
      code: '401',
      message: 'A second factor is required to sign in.',
      data: { error: 'mfa_required', mfa_token: expect.any(String), expires_in: 300, methods: ['totp'] },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('looks like any account to callers without its password', async () => {
    const other = await createPerson(app);
    const wrong = (login: string) => app.asGuest().post('/api/auth/local/login', { login, password: 'wrong' });
    const [one, two] = [await wrong(carried.person.email), await wrong(other.email)];
    expect([one.status, one.body]).toEqual([two.status, two.body]);
  });

  it('costs callers without its password the same statements as others, and none for passkeys', async () => {
    const other = await createPerson(app);
    const asked = async (work: () => PromiseLike<unknown>): Promise<string[]> =>
      (await statementsOf(async () => void (await work())))
        .map(({ text }) => text)
        .filter((text) => /FROM "?users"?|sessions|totp|passkeys|recovery_codes|used_passkey/.test(text));
    const wrong = (login: string) =>
      asked(() => app.asGuest().post('/api/auth/local/login', { login, password: 'wrong' }).expect(401));
    const [one, two, nobody] = [
      await wrong(carried.person.email),
      await wrong(other.email),
      await wrong('nobody@example.com'),
    ];
    expect(one).toEqual(two);
    expect(one).toEqual(nobody);
    expect(one).toHaveLength(1);
    expect(await asked(() => app.asGuest().post('/api/auth/passkeys/options', {}).expect(200))).toEqual([]);
  });

  it.each(['local', 'otp', 'acme'])('accepts no other proof of the same class: after %s', async (method) => {
    const { id: userId } = carried.person;
    const client = { address: '127.0.0.1', device: null };
    const account = { userId, provider: method, client, credentialsVersion: 0, activated: true };
    const { mfa_token } = await app.get(MfaTokens).issue(account, {});
    const before = await sessions();
    const wrong: readonly (readonly [string, string])[] = [
      ['password', PASSWORD],
      ['mailbox', carried.otp],
      ['otp', carried.otp],
      ['federation', 'acme'],
    ];
    for (const [name, code] of wrong) {
      const answer = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: name, code });
      expect([name, answer.status, answer.body.data]).toEqual([name, 401, { error: 'mfa_invalid' }]);
    }
    expect(await sessions()).toBe(before);
  });

  it('keeps its sessions with refresh tokens, which do not raise their level', async () => {
    const before = await sessions();
    const refresh = { refresh_token: carried.refreshToken };
    await app.asGuest().post('/api/auth/token/refresh', refresh).expect(200);
    expect(await sessions()).toBe(before);
    const levels = await app.sql('SELECT level FROM sessions WHERE user_id = $1 AND NOT amr @> ARRAY[$2]::varchar[]', [
      carried.person.id,
      'totp',
    ]);
    expect(levels.every((row) => (row as { level: number }).level === 1)).toBe(true);
  });

  it('starts a session of two factors with both, and records which', async () => {
    app.clock.advance(30);
    const mfa_token = await halfway(app, carried.person);
    const before = await sessions();
    const code = codeAt(secret, stepNow(app));
    const verify = () => app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code });
    const { body } = await verify().expect(200);
    expect(Object.keys(body as object).sort()).toEqual(['expires', 'refresh_token', 'refresh_token_expires', 'token']);
    await app
      .as((body as { token: string }).token)
      .get('/api/auth/me')
      .expect(200);
    expect(await sessions()).toBe(before + 1);
    const [row] = await app.sql(
      'SELECT provider, amr, level, level_at FROM sessions WHERE user_id = $1 ORDER BY id DESC',
      [carried.person.id],
    );
    expect(row).toEqual({ provider: 'local', amr: ['password', 'totp'], level: 2, level_at: expect.any(Date) });
    expect((await verify()).body).toMatchObject({ data: { error: 'mfa_token_invalid' } });
  });

  it('keeps the browser session of a page, like every sign-in', async () => {
    app.clock.advance(30);
    const browser = new CookieJar(app);
    const login = { login: carried.person.email, password: PASSWORD };
    const { body } = await browser.post('/api/auth/local/login', login);
    expect(browser.cookies.size).toBe(0);
    const { mfa_token } = (body as { data: { mfa_token: string } }).data;
    const done = await browser.post('/api/auth/mfa/verify', {
      mfa_token,
      method: 'totp',
      code: codeAt(secret, stepNow(app)),
    });
    expect(done.status).toBe(200);
    expect(done.body).not.toHaveProperty('refresh_token');
    expect((await browser.resume()).status).toBe(200);
  });

  it('has no session if the factor was added during the sign-in', async () => {
    const person = await createPerson(app);
    const token = await signIn(app, person);
    const { body } = await app.as(token).post('/api/auth/mfa/totp', { current_password: PASSWORD }).expect(200);
    const { id, secret: other } = (body as { data: { id: string; secret: string } }).data;
    const login = () => app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD });
    const confirm = app.as(token).post('/api/auth/mfa/totp/confirm', { id, code: codeAt(other, stepNow(app)) });
    const answers = await Promise.all([confirm, ...Array.from({ length: 8 }, login)]);
    const begun = answers.slice(1).filter(({ status }) => status === 200);
    const refused = answers.slice(1).filter(({ status }) => status !== 200);
    for (const { body: refusal } of refused) expect(refusal).toMatchObject({ data: { error: 'mfa_required' } });
    // Sessions that started before have one factor. A later sign-in requires the second factor.
    expect(await app.sql('SELECT 1 FROM sessions WHERE user_id = $1 AND level = 1', [person.id])).toHaveLength(
      begun.length,
    );
    expect((await login()).status).toBe(401);
  });

  it('cancels pending sign-ins when its credentials are revoked', async () => {
    const mfa_token = await halfway(app, carried.person);
    await app.get(AccountService).setPassword(carried.person.id, 'another walnut 48');
    app.clock.advance(30);
    const code = codeAt(secret, stepNow(app));
    const answer = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code });
    expect(answer.body).toMatchObject({ data: { error: 'mfa_token_invalid' } });
  });

  it('expires pending sign-ins after five minutes', async () => {
    const mfa_token = await halfway(app, carried.person);
    app.clock.advance(301);
    const code = codeAt(secret, stepNow(app));
    const answer = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code });
    expect(answer.body).toMatchObject({ data: { error: 'mfa_token_invalid' } });
  });

  it('is not opened by the factor of another account', async () => {
    const other = await secured(app);
    const mfa_token = await halfway(app, carried.person);
    app.clock.advance(30);
    const code = codeAt(other.secret, stepNow(app));
    const answer = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code });
    expect(answer.body).toMatchObject({ data: { error: 'mfa_invalid' } });
  });
});
