import { CookieJar, OWN_PAGE } from '../../support/browser-session.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { PASSWORD, type Person } from '../../support/people.js';
import { codeAt, halfway, secured, stepNow, writeRecoveryCode } from '../../support/second-factors.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const VERIFY = '/api/auth/mfa/verify';

describe('a browser that requests to be remembered', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  let person: Person;
  let secret: string;
  beforeEach(async () => {
    ({ person, secret } = await secured(world.app));
  });

  describe('is rejected', () => {
    async function refused(app: TestApp, body: object, headers: Readonly<Record<string, string>>): Promise<void> {
      world.app.clock.advance(30);
      const mfa_token = await halfway(app, person);
      const code = codeAt(secret, stepNow(world.app));
      const answer = await app
        .asGuest()
        .post(VERIFY, { mfa_token, method: 'totp', code, ...body })
        .set(headers);
      expect([headers, answer.status, JSON.stringify(answer.body)]).toEqual([
        headers,
        422,
        expect.stringContaining('"remember"'),
      ]);
      expect(answer.headers['set-cookie']).toBeUndefined();
      const rows = await world.app.sql('SELECT 1 FROM remembered_devices WHERE user_id = $1', [person.id]);
      expect(rows).toEqual([]);
      // The refused request used up neither the token nor the code.
      const again = { mfa_token, method: 'totp', code };
      await app.asGuest().post(VERIFY, again).expect(200);
    }

    it.each([{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }])(
      'from another site: %j',
      (headers) => refused(world.app, { remember: true }, headers as Record<string, string>),
    );

    it.each(['yes', 1, null, 'on'])('with another value than true: %j', async (remember) => {
      await refused(world.app, { remember }, OWN_PAGE);
    });

    it('if the feature is switched off', async () => {
      const app = await world.app.secondInstance({ env: { AUTH_MFA_REMEMBER_DAYS: '0' } });
      try {
        await refused(app, { remember: true }, OWN_PAGE);
      } finally {
        await app.stop();
      }
    });

    it('with a recovery code, which means that the factor was lost', async () => {
      const code = await writeRecoveryCode(world.app, person.id);
      await refused(world.app, { method: 'recovery_code', code, remember: true }, OWN_PAGE);
    });
  });

  it('continues to an app without the factor, and is remembered by the form of that page', async () => {
    const native = nativeApp();
    const browser = new CookieJar(world.app);
    const half = async (carrier: string) =>
      browser.post('/api/auth/cli/login/local', { carrier, login: person.email, password: PASSWORD }, OWN_PAGE);
    const carrier = await initiate(world.app, native);
    const { mfa_token } = ((await half(carrier)).body as { data: { mfa_token: string } }).data;
    world.app.clock.advance(30);
    const code = codeAt(secret, stepNow(world.app));
    const form = new URLSearchParams({ carrier, mfa_token, method: 'totp', code, remember: 'on' });
    const answer = await world.app
      .asGuest()
      .post('/api/auth/cli/login/mfa')
      .set({ ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' })
      .send(form.toString());
    expect([answer.status, answer.headers['location']]).toEqual([302, expect.stringContaining('code=')]);
    browser.keep(answer);
    const next = await half(await initiate(world.app, native));
    expect([next.status, next.headers['location']]).toEqual([302, expect.stringContaining('code=')]);
    const exchange = {
      code: new URL(next.headers['location'] as string).searchParams.get('code'),
      code_verifier: native.verifier,
    };
    await world.app.asGuest().post('/api/auth/exchange', exchange).expect(200);
    const [session] = await world.app.sql(
      'SELECT amr, level_at FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
      [person.id],
    );
    expect(session).toEqual({ amr: ['password', 'device'], level_at: null });
  });
});
