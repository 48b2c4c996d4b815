import { TestOidcProvider } from '../../support/oidc-provider.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, stepNow } from '../../support/second-factors.js';
import { type Proven, SignInWays } from '../../support/sign-in-methods.js';
import { APP, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

const MFA = '/api/auth/cli/login/mfa';

describe('an app sign-in that waits for the second factor', () => {
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
    app.clock.advance(30);
  });
  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const code = () => codeAt(secret, stepNow(app));
  const post = (body: object) => app.asGuest().post(MFA, body);
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;
  const codes = async () =>
    (await app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [carried.person.id]))
      .length;
  const half = async (path: 'local' | 'otp' = 'local'): Promise<string> => {
    const { carrier, person, otp } = carried;
    const proof =
      path === 'local' ? { login: person.email, password: person.password } : { email: person.email, code: otp };
    const { body } = await app
      .asGuest()
      .post(`/api/auth/cli/login/${path}`, { carrier, ...proof })
      .expect(401);
    return (body as { data: { mfa_token: string } }).data.mfa_token;
  };

  it.each(['local', 'otp'] as const)(
    'continues with it, and the app has a session of two factors: by %s',
    async (path) => {
      const mfa_token = await half(path);
      const { headers } = await post({ carrier: carried.carrier, mfa_token, method: 'totp', code: code() }).expect(302);
      const address = new URL(headers['location'] as string);
      expect(address.searchParams.get('state')).toBe(carried.native.correlation);
      const exchanged = { code: address.searchParams.get('code'), code_verifier: carried.native.verifier };
      await app.asGuest().post('/api/auth/exchange', exchanged).expect(200);
      const [row] = await app.sql('SELECT amr, level FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1', [
        carried.person.id,
      ]);
      expect(row).toEqual({ amr: [path === 'local' ? 'password' : 'mailbox', 'totp'], level: 2 });
    },
  );

  it('is bound to its carrier: neither another carrier nor a session of the Lintel pages results', async () => {
    const mfa_token = await half();
    const other = await initiate(app, nativeApp());
    const before = await codes();
    expect(errorOf(await post({ carrier: other, mfa_token, method: 'totp', code: code() }))).toBe('mfa_token_invalid');
    const verify = await app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code: code() });
    expect(errorOf(verify)).toBe('mfa_token_invalid');
    const login = { login: carried.person.email, password: carried.person.password };
    const own = await app.asGuest().post('/api/auth/local/login', login);
    const ours = (own.body as { data: { mfa_token: string } }).data.mfa_token;
    const mixed = await post({ carrier: carried.carrier, mfa_token: ours, method: 'totp', code: code() });
    expect(errorOf(mixed)).toBe('mfa_token_invalid');
    expect(await codes()).toBe(before);
    await post({ carrier: carried.carrier, mfa_token, method: 'totp', code: code() }).expect(302);
  });

  it('creates one code for sixteen concurrent attempts', async () => {
    const mfa_token = await half();
    const before = await codes();
    const body = { carrier: carried.carrier, mfa_token, method: 'totp', code: code() };
    const answers = await Promise.all(Array.from({ length: 16 }, () => post(body)));
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(await codes()).toBe(before + 1);
  });

  it('redirects a form to its page, with the token to continue in the fragment', async () => {
    const { carrier, person } = carried;
    const form = (path: string, body: Record<string, string>) =>
      app.asGuest().post(path).type('form').set('sec-fetch-site', 'same-origin').send(body);
    const asked = await form('/api/auth/cli/login/local', { carrier, login: person.email, password: person.password });
    expect(asked.status).toBe(303);
    const [, address, token] = /^(.*)#error=mfa_required&mfa=([\w-]{43})&methods=totp$/.exec(
      asked.headers['location'] as string,
    )!;
    expect(address).toBe(`/dash/login?cli=${carrier}`);
    const wrong = await form(MFA, { carrier, mfa_token: token!, method: 'totp', code: '000000' });
    expect(wrong.headers['location']).toBe(`/dash/login?cli=${carrier}#error=mfa_invalid&mfa=${token}`);
    const odd = await form(MFA, { carrier, mfa_token: 'x"><script>', method: 'totp', code: '000000' });
    expect(odd.headers['location']).toBe(`/dash/login?cli=${carrier}#error=mfa_token_invalid`);
    const right = await form(MFA, { carrier, mfa_token: token!, method: 'totp', code: code() });
    expect(right.headers['location']).toContain('code=');
  });

  it('continues after a provider, too: to the app and to the Lintel pages', async () => {
    expect((await ways.take('a native app, by a provider')).error).toBe('mfa_required');
    const [, token] = /&mfa=([\w-]{43})&methods=totp$/.exec(ways.landed)!;
    expect(ways.landed).toContain(`/dash/login?cli=${encodeURIComponent(carried.carrier)}#`);
    await post({ carrier: carried.carrier, mfa_token: token, method: 'totp', code: code() }).expect(302);
    app.clock.advance(30);
    expect((await ways.take('a provider, for our own pages')).error).toBe('mfa_required');
    const [, own] = /\/dash\/login#error=mfa_required&mfa=([\w-]{43})&methods=totp$/.exec(ways.landed)!;
    const body = { mfa_token: own, method: 'totp', code: code() };
    await app.asGuest().post('/api/auth/mfa/verify', body).expect(200);
    const [row] = await app.sql('SELECT provider, amr FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1', [
      carried.person.id,
    ]);
    expect(row).toEqual({ provider: 'acme', amr: ['federation', 'totp'] });
  });
});
