import { HostileProvider } from '../../support/hostile-provider.js';
import { createPerson, signIn } from '../../support/people.js';
import {
  APP,
  comeBack,
  exchange,
  freshBrowser,
  landing,
  meBy,
  providersVariable,
  signInBy,
  startSocialApp,
} from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';
import { PreRegistrationHooks } from '../../../src/identity/registration-policy/pre-registration-hooks.service.js';
import type { RegistrationInput } from '../../../src/identity/registration-policy/registration-input.types.js';

describe('from a provider identity to an account', () => {
  const one = new HostileProvider();
  const two = new HostileProvider();
  let app: TestApp;
  let hook: (input: RegistrationInput) => void = () => undefined;

  beforeAll(async () => {
    await Promise.all([one.start(), two.start()]);
    app = await startSocialApp(
      { one: one.settings(), two: two.settings() },
      { env: { AUTH_REG_BLOCKED_DOMAINS: 'blocked.example' } },
    );
    app.get(PreRegistrationHooks).addFromPlugin({ name: 'of the test', run: (input) => hook(input) });
  });

  beforeEach(() => {
    one.reset();
    two.reset();
    hook = () => undefined;
  });

  afterEach(async () => {
    await app.sql('DELETE FROM users');
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all([one.stop(), two.stop()]);
  });

  const identities = (): Promise<unknown[]> => app.sql('SELECT user_id, issuer, subject FROM identities');
  const accounts = (): Promise<unknown[]> => app.sql('SELECT id FROM users');

  describe('an address that the provider did not verify', () => {
    const UNVERIFIED: readonly Record<string, unknown>[] = [
      { email_verified: false },
      { email_verified: undefined },
      { email_verified: null },
      { email_verified: 'true' },
      { email_verified: 1 },
      { email_verified: [true] },
      { email: undefined, email_verified: true },
      { email: null },
      { email: ['person@example.com'] },
      { email: { $gt: '' } },
      { email: `${'x'.repeat(400)}@example.com` },
    ];

    it.each(UNVERIFIED)('creates no account: %j', async (claims) => {
      one.claims = claims;
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_not_verified');
      expect([await accounts(), await identities()]).toEqual([[], []]);
    });

    it('is not linked to an account either, verified or not', async () => {
      await createPerson(app, { email: 'person@example.com' });
      for (const claims of UNVERIFIED) {
        one.claims = claims;
        expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_not_verified');
      }
      expect(await identities()).toEqual([]);
    });

    it('is not verified by an address of userinfo, or the reverse', async () => {
      one.claims = { email_verified: undefined, email: 'victim@example.com' };
      one.userinfo = { email: 'mine@example.com', email_verified: true };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_not_verified');
      one.claims = { email_verified: true, email: undefined };
      one.userinfo = { email: 'victim@example.com' };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_not_verified');
    });

    it('does not reject a known identity', async () => {
      const { id } = await meBy(app, 'one');
      one.claims = { email: 'other@example.com', email_verified: false };
      expect((await meBy(app, 'one')).id).toBe(id);
      one.claims = { email: undefined, email_verified: undefined };
      expect(await meBy(app, 'one')).toMatchObject({ id, email: 'person@example.com' });
    });
  });

  describe('an address that belongs to an account', () => {
    it('is linked if the account has verified the address, in any case', async () => {
      const person = await createPerson(app, { email: 'Person@Example.com' });
      expect((await meBy(app, 'one')).id).toBe(person.id);
      expect((await meBy(app, 'two')).id).toBe(person.id);
      expect(await identities()).toHaveLength(2);
      await signIn(app, person);
    });

    it('takes it over if the account was registered without verification', async () => {
      const squatter = await createPerson(app, { email: 'person@example.com', emailVerifiedAt: null });
      const session = await signIn(app, squatter);
      expect((await meBy(app, 'one')).id).toBe(squatter.id);
      await app.as(session).get('/api/auth/me').expect(401);
      const login = { login: squatter.email, password: squatter.password };
      await app.asGuest().post('/api/auth/local/login', login).expect(401);
      expect(await app.sql('SELECT 1 FROM users WHERE email_verified_at IS NOT NULL')).toHaveLength(1);
    });

    it('is rejected while it is reserved for the account that gave it up', async () => {
      const person = await createPerson(app, { email: 'moved@example.com' });
      await app.sql(
        `INSERT INTO email_reservations SELECT id, id, $1, $1, $2::timestamptz, $2, $2::timestamptz + interval '1 day' FROM users`,
        ['person@example.com', app.clock.now()],
      );
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_taken_by_other_method');
      expect([await accounts(), await identities()]).toEqual([[{ id: person.id }], []]);
    });

    it('does not reactivate a deactivated account', async () => {
      await createPerson(app, { email: 'person@example.com', activated: false });
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=account_inactive');
      expect(await identities()).toEqual([]);
    });

    it('is not linked by the same subject of another issuer', async () => {
      const { id } = await meBy(app, 'one');
      two.claims = { email: 'somebody.else@example.com' };
      expect((await meBy(app, 'two')).id).not.toBe(id);
    });
  });

  it('rejects a known identity whose account was deactivated, also between callback and exchange', async () => {
    const { id } = await meBy(app, 'one');
    const landed = await signInBy(app, 'one');
    await app.sql('UPDATE users SET activated = false WHERE id = $1', [id]);
    expect(await signInBy(app, 'one')).toBe('/dash/login#error=account_inactive');
    await app
      .asGuest()
      .post('/api/auth/exchange', { code: landed.split('=')[1] })
      .expect(401);
  });

  it('stores nothing of the profile', async () => {
    one.claims = { secret_claim: 'kept-nowhere', given_name: 'Ann' };
    await meBy(app, 'one');
    const rows = [await app.sql('SELECT * FROM users'), await app.sql('SELECT * FROM identities')];
    expect(JSON.stringify(rows)).not.toContain('kept-nowhere');
  });

  it.each([[['Ann']], [{ $gt: '' }], ['a\u0000b'], ['x'.repeat(101)], [1]])(
    'does not use a name that is %j',
    async (name) => {
      one.claims = { given_name: name, family_name: name };
      expect(await meBy(app, 'one')).toMatchObject({ first_name: null, last_name: null });
    },
  );

  describe('registration', () => {
    it('checks the policy before a row is created', async () => {
      one.claims = { email: 'person@blocked.example' };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_domain_blocked');
      expect(await accounts()).toEqual([]);
    });

    it('passes the identity to hooks, and runs them for new accounts only', async () => {
      const seen: RegistrationInput[] = [];
      hook = (input) => void seen.push({ ...input });
      one.claims = { team: { name: 'walnut' } };
      await meBy(app, 'one');
      await meBy(app, 'one');
      expect(seen).toEqual([
        {
          email: 'person@example.com',
          username: null,
          provider: 'one',
          providerId: 'person',
          profile: expect.objectContaining({ sub: 'person', team: { name: 'walnut' } }),
          isOAuth: true,
        },
      ]);
    });

    it('can be rejected by a hook, with its error code only for the page', async () => {
      hook = () => {
        throw new Error('not <b>today</b>');
      };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=registration_rejected');
      expect(await accounts()).toEqual([]);
    });

    it('reports a generic error if a hook throws, and logs it', async () => {
      hook = () => {
        throw new TypeError('a fault of the hook');
      };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=internal_error');
      expect(app.log.join('')).toContain('a fault of the hook');
    });

    it('uses what a hook set, and does not treat its address as verified', async () => {
      hook = (input) => {
        input.email = 'hooked@example.com';
        input.username = 'hooked';
      };
      const me = await meBy(app, 'one');
      expect(me).toMatchObject({ email: 'hooked@example.com', username: 'hooked' });
      expect(await app.sql('SELECT email_verified_at FROM users')).toEqual([{ email_verified_at: null }]);
    });

    it('rejects a value of a hook that belongs to another account', async () => {
      await createPerson(app, { email: 'hooked@example.com' });
      hook = (input) => {
        input.email = 'hooked@example.com';
      };
      expect(await signInBy(app, 'one')).toBe('/dash/login#error=email_taken');
      expect(await identities()).toEqual([]);
    });
  });

  describe('with concurrent requests', () => {
    const race = async (providers: readonly string[]): Promise<string[]> => {
      const browsers = providers.map(() => freshBrowser(app));
      const addresses = await Promise.all(browsers.map((browser, index) => comeBack(browser, providers[index] ?? '')));
      return Promise.all(
        browsers.map(async (browser, index) => {
          const page = landing(await browser.visit(addresses[index] ?? ''));
          const token = await exchange(app, page);
          return ((await app.as(token).get('/api/auth/me').expect(200)).body as { id: string }).id;
        }),
      );
    };

    it('creates one account for sixteen first sign-ins', async () => {
      const ids = await race(Array.from({ length: 16 }, () => 'one'));
      expect(new Set(ids).size).toBe(1);
      expect([await accounts(), await identities()]).toEqual([[expect.anything()], [expect.anything()]]);
    });

    it('creates one account for first sign-ins by two providers with one address', async () => {
      const ids = await race(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 'one' : 'two')));
      expect(new Set(ids).size).toBe(1);
      expect([(await accounts()).length, (await identities()).length]).toEqual([1, 2]);
    });

    it('links a verified account once for sixteen sign-ins', async () => {
      const person = await createPerson(app, { email: 'person@example.com' });
      expect(new Set(await race(Array.from({ length: 16 }, () => 'one')))).toEqual(new Set([person.id]));
      expect(await identities()).toHaveLength(1);
    });
  });

  it('can be completed and exchanged on another instance', async () => {
    const other = await app.secondInstance({
      env: { AUTH: providersVariable({ one: one.settings(), two: two.settings() }) },
    });
    try {
      const browser = freshBrowser(app);
      const address = await comeBack(browser, 'one');
      const there = freshBrowser(other);
      await there.visit(`${APP}/api/auth/one/login`);
      // The same browser, at the other instance.
      Object.assign(there, { jars: (browser as unknown as { jars: unknown }).jars });
      const landed = landing(await there.visit(address));
      await exchange(app, landed);
    } finally {
      await other.stop();
    }
  });
});

describe('federated-only mode', () => {
  it('signs in by providers only', async () => {
    const provider = new HostileProvider();
    await provider.start();
    const app = await startSocialApp({ acme: provider.settings() }, { env: { AUTH_DISABLE_LOCAL_LOGIN: 'true' } });
    try {
      expect((await app.asGuest().get('/api/auth/methods').expect(200)).body).toEqual({
        providers: ['acme'],
        local: false,
        otp: false,
      });
      expect(await meBy(app, 'acme')).toMatchObject({ email: 'person@example.com', roles: ['user'] });
    } finally {
      await app.stop();
      await provider.stop();
    }
  });
});
