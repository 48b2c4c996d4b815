import { SecondFactor } from '../../../src/identity/auth/sign-in/second-factor.port.js';
import { SignInService } from '../../../src/identity/auth/sign-in/sign-in.service.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { type Proven, SignInWays, WAYS } from '../../support/sign-in-methods.js';
import { APP, startSocialApp } from '../../support/social-fixture.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

/** Requires a second factor from every user while `isDue` is true. */
class SwitchedFactor extends SecondFactor {
  static isDue = false;

  due(): AppError | null {
    return SwitchedFactor.isDue ? new AppError('step_up_required', { details: { methods: ['totp'] } }) : null;
  }
}

describe('the steps of a sign-in', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let app: TestApp;
  let ways: SignInWays;
  let carried: Proven;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp(
      { acme: provider.settings() },
      {
        env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' },
        ports: { secondFactor: SwitchedFactor },
      },
    );
  });

  beforeEach(async () => {
    SwitchedFactor.isDue = false;
    ways = new SignInWays(app);
    carried = await ways.prove();
    provider.signsIn = { sub: carried.person.id, email: carried.person.email, email_verified: true };
  });

  afterAll(async () => {
    SwitchedFactor.isDue = false;
    await app?.stop();
    await provider.stop();
  });

  const sessions = async (): Promise<number> =>
    (await app.sql('SELECT id FROM sessions WHERE user_id = $1', [carried.person.id])).length;
  const codes = async (): Promise<number> =>
    (await app.sql(`SELECT id FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [carried.person.id]))
      .length;

  it('run in this order', () => {
    const names = ['account', 'active', 'second factor', 'session', 'tokens'];
    expect(app.get(SignInService).steps.map(({ name }) => name)).toEqual(names);
    expect(app.get(SignInService).gate.map(({ name }) => name)).toEqual(names.slice(0, 3));
  });

  it('cover every documented route that returns a token set', async () => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    const document = await DocumentInHand.of(app.as(token));
    const answering = document
      .operations()
      .filter(({ responses }) => JSON.stringify(responses['200'] ?? {}).includes('#/components/schemas/TokenSet'))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const routes = WAYS.filter((name) => name.startsWith('POST '));
    expect(answering.toSorted()).toEqual([...routes, 'POST /api/auth/token/refresh'].toSorted());
  });

  it.each(WAYS)('start no session and create no code while a factor is pending: %s', async (way) => {
    const before = { sessions: await sessions(), codes: await codes() };
    SwitchedFactor.isDue = true;
    const answer = await ways.take(way);
    expect(answer.error).toBe('step_up_required');
    expect(await sessions()).toBe(before.sessions);
    // An existing code is used up, and no new code is created.
    expect(await codes()).toBe(way.endsWith('/exchange') ? before.codes - 1 : before.codes);
  });

  it.each(WAYS)('pass the same user if none is pending: %s', async (way) => {
    const before = { sessions: await sessions(), codes: await codes() };
    expect((await ways.take(way)).error).toBeNull();
    const begun = (await sessions()) - before.sessions;
    const made = (await codes()) - before.codes;
    expect([begun, made]).toEqual(way.startsWith('POST ') ? [1, way.endsWith('/exchange') ? -1 : 0] : [0, 1]);
  });

  it('report the required factor, and nothing of a session', async () => {
    SwitchedFactor.isDue = true;
    const body = { login: carried.person.email, password: PASSWORD };
    const answer = await app.asGuest().post('/api/auth/local/login', body).expect(401);
    expect(answer.body).toEqual({
      code: '401',
      message: expect.any(String),
      data: { error: 'step_up_required', methods: ['totp'] },
    });
  });

  it('require a factor only after a correct password', async () => {
    SwitchedFactor.isDue = true;
    const login = carried.person.email;
    expect((await ways.post('/api/auth/local/login', { login, password: 'wrong' })).error).toBe('invalid_credentials');
    await app.sql('UPDATE users SET activated = false WHERE id = $1', [carried.person.id]);
    expect((await ways.post('/api/auth/local/login', { login, password: PASSWORD })).error).toBe('account_inactive');
  });

  it('keep the carrier of a native app for the factor', async () => {
    SwitchedFactor.isDue = true;
    await ways.take('a native app, by password');
    SwitchedFactor.isDue = false;
    expect(await ways.take('a native app, by password')).toEqual({ status: 302, error: null });
  });

  it('continue an existing session, and start no other, by a refresh token', async () => {
    const before = await sessions();
    SwitchedFactor.isDue = true;
    expect((await ways.post('/api/auth/token/refresh', { refresh_token: carried.refreshToken })).status).toBe(200);
    expect(await sessions()).toBe(before);
  });
});

describe('an account without a second factor', () => {
  const world = useTestApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });

  const asked = async (work: () => Promise<unknown>): Promise<string[]> =>
    (await statementsOf(work)).map(({ text }) => text).filter((text) => /FROM "?users"?|sessions/.test(text));

  it('needs no additional statement: a login is the look-up and the session, a refresh is one', async () => {
    const person = await createPerson(world.app);
    const body = { login: person.email, password: PASSWORD };
    let token = '';
    const login = async (): Promise<void> => {
      const answer = await world.app.asGuest().post('/api/auth/local/login', body).expect(200);
      token = (answer.body as { refresh_token: string }).refresh_token;
    };
    expect(await asked(login)).toEqual([
      expect.stringMatching(/^SELECT [^;]* FROM users WHERE email_key = /),
      expect.stringMatching(/INSERT INTO sessions/),
    ]);
    const refresh = async () =>
      world.app.asGuest().post('/api/auth/token/refresh', { refresh_token: token }).expect(200);
    expect(await asked(refresh)).toHaveLength(1);
  });
});
