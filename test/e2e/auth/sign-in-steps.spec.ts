import { SecondFactor } from '../../../src/identity/auth/sign-in/second-factor.port.js';
import { SignInService } from '../../../src/identity/auth/sign-in/sign-in.service.js';
import { OTP_CODE } from '../../../src/sign-in/otp/otp.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { initiate, type NativeApp, nativeApp } from '../../support/native-app.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { createPerson, PASSWORD, type Person, signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { APP, freshBrowser, landing, startSocialApp } from '../../support/social-world.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

/** Asks everybody for a factor while it is told to. */
class SwitchedFactor extends SecondFactor {
  static isDue = false;

  due(): AppError | null {
    return SwitchedFactor.isDue ? new AppError('step_up_required', { details: { methods: ['totp'] } }) : null;
  }
}

/** How a way to sign in was answered, reduced to what is common to all of them. */
interface Answer {
  readonly status: number;
  readonly error: string | null;
}

/** A person who has proven everything but the second factor. */
interface Proven {
  readonly person: Person;
  readonly native: NativeApp;
  readonly carrier: string;
  readonly otp: string;
  /** A code of a sign-in that was let pass before the factor was due. */
  readonly code: string;
  /** The refresh token of a session that there is already. */
  readonly refreshToken: string;
}

describe('the steps of a sign-in', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let app: TestApp;
  let carried: Proven;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp(
      { acme: provider.settings() },
      {
        env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' },
        ports: [[SecondFactor, SwitchedFactor]],
      },
    );
  });

  beforeEach(async () => {
    SwitchedFactor.isDue = false;
    carried = await prove();
    provider.signsIn = { sub: carried.person.id, email: carried.person.email, email_verified: true };
  });

  afterAll(async () => {
    SwitchedFactor.isDue = false;
    await app?.stop();
    await provider.stop();
  });

  const post = async (path: string, body: unknown): Promise<Answer> => {
    const { status, body: answer } = await app.asGuest().post(path, body);
    return { status, error: (answer as { data?: { error?: string } }).data?.error ?? null };
  };
  const byProvider = async (query = ''): Promise<Answer> => {
    const page = await freshBrowser(app).follow(`${APP}/api/auth/acme/login${query}`, /\/dash\/|127\.0\.0\.1:49152/);
    return { status: page.status, error: /#error=(\w+)$/.exec(landing(page))?.[1] ?? null };
  };
  const sessions = async (): Promise<number> =>
    (await app.sql('SELECT id FROM sessions WHERE user_id = $1', [carried.person.id])).length;
  const codes = async (): Promise<number> =>
    (await app.sql(`SELECT id FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [carried.person.id]))
      .length;

  async function prove(): Promise<Proven> {
    const person = await createPerson(app);
    const native = nativeApp();
    const { id: userId, email } = person;
    const request = {
      purpose: OTP_CODE,
      userId,
      lifetimeSeconds: 300,
      length: 6,
      attempts: 3,
      data: { email },
    } as const;
    const { secret: otp } = await app.get(OneTimeSecrets).issueCode(app.database.manager, request);
    const login = { login: email, password: PASSWORD };
    const { body } = await app.asGuest().post('/api/auth/local/login', login).expect(200);
    const { headers } = await app
      .asGuest()
      .post('/api/auth/cli/login/local', { carrier: await initiate(app, native), ...login })
      .expect(302);
    const code = new URL(headers['location'] as string).searchParams.get('code') ?? '';
    const refreshToken = (body as { refresh_token: string }).refresh_token;
    return { person, native, carrier: await initiate(app, native), otp, code, refreshToken };
  }

  /** Every way that ends in a token set, by its route; and every way to a code, by the name of it. */
  const WAYS: Readonly<Record<string, () => Promise<Answer>>> = {
    'POST /api/auth/local/login': () =>
      post('/api/auth/local/login', { login: carried.person.email, password: PASSWORD }),
    'POST /api/auth/otp/verify': () => post('/api/auth/otp/verify', { email: carried.person.email, code: carried.otp }),
    'POST /api/auth/exchange': () =>
      post('/api/auth/exchange', { code: carried.code, code_verifier: carried.native.verifier }),
    'a native app, by password': () =>
      post('/api/auth/cli/login/local', { carrier: carried.carrier, login: carried.person.email, password: PASSWORD }),
    'a native app, by mailed code': () =>
      post('/api/auth/cli/login/otp', { carrier: carried.carrier, email: carried.person.email, code: carried.otp }),
    'a provider, for our own pages': () => byProvider(),
    'a native app, by a provider': () => byProvider(`?cli=${carried.carrier}`),
  };

  it('are these, in this order', () => {
    const names = ['account', 'active', 'second factor', 'session', 'tokens'];
    expect(app.get(SignInService).steps.map(({ name }) => name)).toEqual(names);
    expect(app.get(SignInService).gate.map(({ name }) => name)).toEqual(names.slice(0, 3));
  });

  it('have every route of the document that answers a token set in this table', async () => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    const document = await DocumentInHand.of(app.as(token));
    const answering = document
      .operations()
      .filter(({ responses }) => JSON.stringify(responses['200'] ?? {}).includes('#/components/schemas/TokenSet'))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const routes = Object.keys(WAYS).filter((name) => name.startsWith('POST '));
    expect(answering.toSorted()).toEqual([...routes, 'POST /api/auth/token/refresh'].toSorted());
  });

  it.each(Object.keys(WAYS))('begin no session and make no code while a factor is due: %s', async (way) => {
    const before = { sessions: await sessions(), codes: await codes() };
    SwitchedFactor.isDue = true;
    const answer = await WAYS[way]!();
    expect(answer.error).toBe('step_up_required');
    expect(await sessions()).toBe(before.sessions);
    // A code that was made before is used up, and no other is made.
    expect(await codes()).toBe(way.endsWith('/exchange') ? before.codes - 1 : before.codes);
  });

  it.each(Object.keys(WAYS))('let the same person pass while none is: %s', async (way) => {
    const before = { sessions: await sessions(), codes: await codes() };
    expect((await WAYS[way]!()).error).toBeNull();
    const begun = (await sessions()) - before.sessions;
    const made = (await codes()) - before.codes;
    expect([begun, made]).toEqual(way.startsWith('POST ') ? [1, way.endsWith('/exchange') ? -1 : 0] : [0, 1]);
  });

  it('tell what is asked for, and nothing of a session', async () => {
    SwitchedFactor.isDue = true;
    const body = { login: carried.person.email, password: PASSWORD };
    const answer = await app.asGuest().post('/api/auth/local/login', body).expect(401);
    expect(answer.body).toEqual({
      code: '401',
      message: expect.any(String),
      data: { error: 'step_up_required', methods: ['totp'] },
    });
  });

  it('ask for a factor after a right password only', async () => {
    SwitchedFactor.isDue = true;
    const login = carried.person.email;
    expect((await post('/api/auth/local/login', { login, password: 'wrong' })).error).toBe('invalid_credentials');
    await app.sql('UPDATE users SET activated = false WHERE id = $1', [carried.person.id]);
    expect((await post('/api/auth/local/login', { login, password: PASSWORD })).error).toBe('account_inactive');
  });

  it('keep the carrier of a native app for the factor', async () => {
    SwitchedFactor.isDue = true;
    await WAYS['a native app, by password']!();
    SwitchedFactor.isDue = false;
    expect(await WAYS['a native app, by password']!()).toEqual({ status: 302, error: null });
  });

  it('let a session that there is go on, and begin no other, by a refresh token', async () => {
    const before = await sessions();
    SwitchedFactor.isDue = true;
    expect((await post('/api/auth/token/refresh', { refresh_token: carried.refreshToken })).status).toBe(200);
    expect(await sessions()).toBe(before);
  });
});

describe('an account without a second factor', () => {
  const world = useTestApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });

  /** What the work itself asks the database; jobs and the listener ask beside it. */
  const asked = async (work: () => Promise<unknown>): Promise<string[]> =>
    (await statementsOf(work)).map(({ text }) => text).filter((text) => /FROM "?users"?|sessions/.test(text));

  it('pays no statement for it: a login is the look-up and the session, a refresh is one', async () => {
    const person = await createPerson(world.app);
    const body = { login: person.email, password: PASSWORD };
    let token = '';
    const login = async (): Promise<void> => {
      const answer = await world.app.asGuest().post('/api/auth/local/login', body).expect(200);
      token = (answer.body as { refresh_token: string }).refresh_token;
    };
    expect(await asked(login)).toEqual([
      expect.stringMatching(/^SELECT .* FROM "users"/),
      expect.stringMatching(/INSERT INTO sessions/),
    ]);
    const refresh = async () =>
      world.app.asGuest().post('/api/auth/token/refresh', { refresh_token: token }).expect(200);
    expect(await asked(refresh)).toHaveLength(1);
  });
});
