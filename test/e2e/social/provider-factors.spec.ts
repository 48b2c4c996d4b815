import { HostileProvider } from '../../support/hostile-provider.js';
import { signedIn } from '../../support/people.js';
import { addAuthenticator } from '../../support/second-factors.js';
import { exchange, signInBy, startSocialApp, stepUpBy } from '../../support/social-world.js';
import type { TestApp } from '../../support/test-app.js';

describe('what a provider says of second factors', () => {
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
    'counts in the words of its settings, and not without settings: %j',
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
  ])('does not count in other words: %j', async (claims) => {
    provider.claims = claims;
    expect((await sessionOf('trusted')).session).toEqual(ONE);
  });

  it('counts in the signed token alone, not in userinfo', async () => {
    provider.userinfo = { amr: ['mfa'], acr: 'urn:acme:two' };
    expect((await sessionOf('trusted')).session).toEqual(ONE);
  });

  it('satisfies a role that demands a factor, which other ways in do not', async () => {
    provider.claims = { amr: ['mfa'] };
    await sessionOf('trusted');
    await careful();
    const { token } = await sessionOf('trusted');
    await app.as(token).get('/api/auth/sessions').expect(200);
    provider.claims = {};
    expect(await signInBy(app, 'trusted')).toMatch(/#error=mfa_enrollment_required&mfa=/);
    await app.as(token).get('/api/auth/sessions').expect(200);
  });

  it('is enough for an account that has a factor of its own, and nothing else is', async () => {
    provider.claims = { amr: ['mfa'] };
    const { token } = await sessionOf('trusted');
    expect(await stepUpBy(app, token, 'trusted')).toBe('/dash/account#proven=trusted');
    await addAuthenticator(app, token);
    expect((await sessionOf('trusted')).session).toEqual(TWO);
    provider.claims = {};
    expect(await signInBy(app, 'trusted')).toMatch(/#error=mfa_required&mfa=/);
  });
});
