import { HostileProvider } from '../../support/hostile-provider.js';
import { signedIn } from '../../support/people.js';
import { addAuthenticator } from '../../support/second-factors.js';
import { exchange, signInBy, startSocialApp, stepUpBy } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

describe('second factors of a provider', () => {
  const provider = new HostileProvider();
  let app: TestApp;
  let root: string;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp({
      acme: provider.settings(),
      trusted: provider.settings({ mfa_amr: ['mfa', 'hwk'], mfa_acr: ['urn:acme:two'] }),
    });
    root = (await signedIn(app, { roles: ['admin'] })).token;
    await app.as(root).post('/api/content/roles', { name: 'careful', mfa: 'required' }).expect(201);
  });
  beforeEach(async () => {
    provider.reset();
    provider.nowMs = () => app.clock.nowMs();
    await app.sql(`DELETE FROM users WHERE email = 'person@example.com'`);
  });
  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const sessionOf = async (name: string) => {
    const token = await exchange(app, await signInBy(app, name));
    const text = 'SELECT amr, level FROM sessions ORDER BY id DESC LIMIT 1';
    return { token, session: (await app.sql(text))[0] };
  };
  const careful = () =>
    app.sql(
      `INSERT INTO user_roles (user_id, role_id)
       SELECT u.id, r.id FROM users u, roles r WHERE u.email = 'person@example.com' AND r.name = 'careful'`,
    );
  const ONE = { amr: ['federation'], level: 1 };
  const TWO = { amr: ['federation', 'federation_mfa'], level: 2 };

  it.each([[{ amr: ['pwd', 'mfa'] }], [{ amr: ['hwk'] }], [{ acr: 'urn:acme:two' }]])(
    'count with the configured values, and not without settings: %j',
    async (claims) => {
      provider.claims = claims;
      expect((await sessionOf('trusted')).session).toEqual(TWO);
      await app.sql(`DELETE FROM users WHERE email = 'person@example.com'`);
      expect((await sessionOf('acme')).session).toEqual(ONE);
    },
  );

  it.each([
    [{}],
    [{ amr: [] }],
    [{ amr: 'mfa' }],
    [{ amr: ['MFA'] }],
    [{ amr: ['mfa '] }],
    [{ amr: [['mfa']] }],
    [{ amr: { 0: 'mfa', length: 1 } }],
    [{ amr: [null, 1, true] }],
    [{ acr: ['urn:acme:two'] }],
    [{ acr: 'urn:acme:two2' }],
    [{ acr: 'mfa' }],
    [{ amr: ['urn:acme:two'] }],
    [{ amr: 'pwd mfa'.split(' ', 1) }],
  ])('do not count with other values: %j', async (claims) => {
    provider.claims = claims;
    expect((await sessionOf('trusted')).session).toEqual(ONE);
  });

  it('count in the signed token only, not in userinfo', async () => {
    provider.userinfo = { amr: ['mfa'], acr: 'urn:acme:two' };
    expect((await sessionOf('trusted')).session).toEqual(ONE);
  });

  it('satisfy a role that requires a factor, unlike other sign-in methods', async () => {
    provider.claims = { amr: ['mfa'] };
    await sessionOf('trusted');
    await careful();
    const { token } = await sessionOf('trusted');
    await app.as(token).get('/api/auth/sessions').expect(200);
    provider.claims = {};
    expect(await signInBy(app, 'trusted')).toMatch(/#error=mfa_enrollment_required&mfa=/);
    await app.as(token).get('/api/auth/sessions').expect(200);
  });

  it('are enough for an account with its own factor, and nothing else is', async () => {
    provider.claims = { amr: ['mfa'] };
    const { token } = await sessionOf('trusted');
    expect(await stepUpBy(app, token, 'trusted')).toBe('/dash/account#proven=trusted');
    await addAuthenticator(app, token);
    expect((await sessionOf('trusted')).session).toEqual(TWO);
    provider.claims = {};
    expect(await signInBy(app, 'trusted')).toMatch(/#error=mfa_required&mfa=/);
  });
});
