import { Module } from '@nestjs/common';
import { isProviderName } from '../../../src/identity/auth/auth.public.js';
import { defineError } from '../../../src/kernel/errors/define-error.js';
import { defineProvider, OffersProviders } from '../../../src/sign-in/social/providers/define-provider.js';
import type { ProviderClaims } from '../../../src/sign-in/social/providers/provider-definition.types.js';
import { openIdIdentity } from '../../../src/sign-in/social/providers/provider-profile.js';
import { GARBAGE, SILENCE } from '../../support/hostile-responses.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { signedIn } from '../../support/people.js';
import {
  APP,
  beginLinking,
  comeBack,
  exchange,
  freshBrowser,
  landing,
  meBy,
  signInBy,
  startSocialApp,
} from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';
import { sampled } from '../../support/sampled.js';

const NotStaff = defineError('acme_not_staff', { status: 403, message: 'Staff alone.' });
const ANN = { id: 42, mail: 'ann@example.com', proven: true, first: 'Ann', last: 'Lee' };

type Identity = (claims: ProviderClaims) => unknown;
const HONEST: Identity = ({ id, mail, proven, first, last }) => {
  return { subject: id, email: mail, emailVerified: proven, firstName: first, lastName: last };
};
const STANDARD: Identity = openIdIdentity;
/** Responses of the definitions below. Tests can replace them. */
const answers = { plain: HONEST, openId: STANDARD };

const PLAIN = defineProvider({
  name: 'plain',
  endpoints: ({ base }) => ({
    authorization: `${String(base)}/oauth/authorize?prompt=select_account`,
    token: `${String(base)}/oauth/token`,
    profile: `${String(base)}/me`,
    details: { teams: `${String(base)}/me/teams` },
  }),
  scopes: ['user', 'teams'],
  settings: { base: { expects: 'be an address', accepts: (value) => typeof value === 'string', required: true } },
  identity: (claims) => answers.plain(claims) as { subject: unknown },
});
const OPEN_ID = defineProvider({
  name: 'open-id',
  issuer: ({ base }) => String(base),
  scopes: ['email'],
  settings: { base: { expects: 'be an address', accepts: (value) => typeof value === 'string', required: true } },
  identity: (claims) => answers.openId(claims) as object,
});

@OffersProviders(OPEN_ID)
@Module({})
class OpenIdModule {}

describe('a custom provider', () => {
  const plain = new HostileProvider();
  const openId = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await Promise.all([plain.start(), openId.start()]);
    const settings = (provider: HostileProvider) =>
      provider.settings({ issuer: undefined, base: provider.issuer, timeout_seconds: 0.7 });
    app = await startSocialApp(
      { plain: settings(plain), 'open-id': settings(openId) },
      { modules: [OpenIdModule], definition: { providers: [PLAIN], errors: [NotStaff] } },
    );
  });

  beforeEach(() => {
    plain.reset();
    openId.reset();
    plain.script.set('/me', ANN);
    plain.script.set('/me/teams', ['kitchen']);
    answers.plain = HONEST;
    answers.openId = STANDARD;
    openId.nowMs = () => app.clock.nowMs();
    app.clock.advance(7_200);
  });

  afterEach(async () => {
    await app.asGuest().get('/api/auth/methods').expect(200);
    await app.sql('DELETE FROM users');
  });

  afterAll(async () => {
    await app?.stop();
    await Promise.all([plain.stop(), openId.stop()]);
  });

  /** Returns the refusal, which must be the same for a browser and for other clients. No account may be created. */
  async function refusal(name = 'plain'): Promise<string> {
    const landed = await signInBy(app, name);
    const browser = freshBrowser(app);
    const page = await browser.visit(await comeBack(browser, name), { accept: '*/*' });
    const { code, data } = JSON.parse(page.body) as { code: string; data: { error: string } };
    expect(landed).toBe(`/dash/login#error=${data.error}`);
    expect(await app.sql('SELECT 1 FROM users')).toEqual([]);
    return `${code} ${data.error}`;
  }

  it('is listed with the others, in the order of the settings', async () => {
    const { body } = await app.asGuest().get('/api/auth/methods').expect(200);
    expect(body).toMatchObject({ providers: ['plain', 'open-id'] });
  });

  it('cannot have the name of a built-in route', async () => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    const { body } = await app.as(token).get('/api/openapi.json').expect(200);
    const words = Object.keys((body as { paths: object }).paths).flatMap(
      (path) => /^\/api\/auth\/(\w+)/.exec(path)?.[1] ?? [],
    );
    expect(words).toContain('exchange');
    expect([...new Set(words)].filter(isProviderName)).toEqual([]);
  });

  describe('with endpoints', () => {
    it('signs in the user of its claims', async () => {
      answers.plain = (claims) => {
        expect(claims).toEqual({ ...ANN, teams: ['kitchen'] });
        return HONEST(claims);
      };
      expect(await meBy(app, 'plain')).toMatchObject({
        email: 'ann@example.com',
        first_name: 'Ann',
        last_name: 'Lee',
        provider: 'plain',
        roles: ['user'],
      });
      expect(await app.sql('SELECT issuer, subject FROM identities')).toEqual([
        { issuer: `${plain.issuer}/oauth/authorize`, subject: '42' },
      ]);
      answers.plain = HONEST;
      plain.script.set('/me', { ...ANN, mail: 'other@example.com', proven: false });
      expect(await meBy(app, 'plain')).toMatchObject({ email: 'ann@example.com' });
    });

    it('is called with PKCE and its scopes, and authenticates by Basic', async () => {
      const { location } = await freshBrowser(app).visit(`${APP}/api/auth/plain/login`);
      const { origin, pathname, searchParams } = new URL(location ?? '');
      expect(origin + pathname).toBe(`${plain.issuer}/oauth/authorize`);
      expect(Object.fromEntries(searchParams)).toEqual({
        prompt: 'select_account',
        response_type: 'code',
        client_id: 'lintel-tests',
        redirect_uri: `${APP}/api/auth/plain/callback`,
        scope: 'user teams',
        state: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
      await meBy(app, 'plain');
      expect(plain.seen.at(-1)?.authorization).toMatch(/^Basic /);
    });

    describe.each(['/oauth/token', '/me', '/me/teams'])('at %s', (path) => {
      const isData = path === '/me/teams';
      const garbage = Object.entries(GARBAGE).filter(
        ([name]) => !isData || !/^(null|a number|a text|a list)$/.test(name),
      );

      it.each(sampled(garbage))('is rejected with %s', async (_name, behaviour) => {
        plain.script.set(path, behaviour);
        expect(await refusal()).toBe('502 provider_failed');
      });

      it.each(sampled(Object.entries(SILENCE)))('is rejected when %s', async (_name, behaviour) => {
        plain.script.set(path, behaviour);
        expect(await refusal()).toBe('503 provider_unavailable');
      });
    });

    it.each([
      ['none', {}],
      ['null', { access_token: null }],
      ['a list', { access_token: ['x'] }],
      ['one with a line break', { access_token: 'a\r\nx-injected: 1' }],
      ['an empty one', { access_token: '' }],
    ])('is rejected with an access token that is %s', async (_name, answer) => {
      plain.script.set('/oauth/token', answer);
      expect(await refusal()).toBe('502 provider_failed');
    });

    it.each([
      ['access_denied', '401 provider_denied'],
      ['server_error', '503 provider_unavailable'],
    ])('rejects with the error %j', async (error, expected) => {
      plain.answer = { error, code: 'a-code-too' };
      expect(await refusal()).toBe(expected);
      expect(plain.seen).toEqual([]);
    });

    it.each([
      ['is missing', { id: undefined }],
      ['is null', { id: null }],
      ['is larger than numbers are exact', { id: 2 ** 53 }],
      ['is an object', { id: {} }],
      ['is too long', { id: 'x'.repeat(256) }],
      ['has a line break', { id: 'a\nb' }],
    ])('is rejected if its subject %s', async (_name, claims) => {
      plain.script.set('/me', { ...ANN, ...claims });
      expect(await refusal()).toBe('502 provider_failed');
    });

    it.each([['true'], [1], [{}], [null]])('creates no account for an address verified by %j', async (proven) => {
      plain.script.set('/me', { ...ANN, proven });
      expect(await refusal()).toBe('401 email_not_verified');
    });

    it.each([[['ann@example.com']], ['ann@example.com, eve@example.com'], ['x'.repeat(400)], [7]])(
      'creates no account for the address %j',
      async (mail) => {
        plain.script.set('/me', { ...ANN, mail });
        expect(await refusal()).toMatch(/^(401 email_not_verified|401 email_unusable|502 provider_failed)$/);
      },
    );

    it('can be linked to an account', async () => {
      const { person, token } = await signedIn(app, { email: 'eve@example.com' });
      const browser = freshBrowser(app);
      const body = { provider: 'plain', current_password: person.password };
      const address = await beginLinking({ app, browser, token }, body);
      expect(landing(await browser.follow(address, /\/dash\//))).toBe('/dash/account#linked=plain');
      const { body: linked } = await app.as(token).get('/api/auth/identities').expect(200);
      expect(linked).toMatchObject({ data: [{ provider: 'plain', email: 'ann@example.com' }] });
    });
  });

  describe('with an issuer', () => {
    it('is the user of its ID token, whatever its identity method reads', async () => {
      openId.claims = { nickname: 'Annie', given_name: 'Ann' };
      answers.openId = (claims) => ({ ...openIdIdentity(claims), firstName: claims['nickname'] });
      expect(await meBy(app, 'open-id')).toMatchObject({ email: 'person@example.com', first_name: 'Annie' });
      expect(await app.sql('SELECT issuer, subject FROM identities')).toEqual([
        { issuer: openId.issuer, subject: 'person' },
      ]);
    });

    it('cannot be another user', async () => {
      answers.openId = (claims) => ({ ...openIdIdentity(claims), subject: 'admin' });
      expect(await refusal('open-id')).toBe('502 provider_failed');
    });

    it('does not combine an address with a verification of another', async () => {
      openId.claims = { email: 'victim@example.com', email_verified: undefined };
      openId.userinfo = { email: 'mine@example.com', email_verified: true };
      expect(await refusal('open-id')).toBe('401 email_not_verified');
    });
  });

  describe.each(['plain', 'open-id'])('with an invalid identity: %s', (name) => {
    const say = (identity: Identity): void => void Object.assign(answers, { plain: identity, openId: identity });
    const FAULTS: Readonly<Record<string, Identity>> = {
      'throws an error': () => {
        throw new Error('leak-thrown');
      },
      'throws a text': () => {
        throw 'leak-text';
      },
      'throws for a claim that is not there': ({ nothing }) => (nothing as { deep: string }).deep,
      'is rejected': async () => Promise.reject(new Error('leak-rejected')),
      'never answers': () => new Promise(() => undefined),
      'answers nothing': () => undefined,
      'answers a text': () => 'leak-answer',
      'answers a trap': () => Object.defineProperty({}, 'subject', { get: () => JSON.parse('leak-trap') as unknown }),
    };

    it.each(Object.entries(FAULTS))('%s', async (_name, identity) => {
      say(identity);
      expect(await refusal(name)).toBe('502 provider_failed');
      expect(app.log.join('')).not.toMatch(/leak-|an-access-token|ann@example|person@example/);
    });

    it('logs the error class and its location', async () => {
      say(FAULTS['throws an error']!);
      await refusal(name);
      expect(app.log.join('')).toMatch(/"reason":"identity: Error at [^"]*own-providers\.spec/);
    });

    it('may reject with its own error', async () => {
      say(() => {
        throw new NotStaff();
      });
      expect(await refusal(name)).toBe('403 acme_not_staff');
    });
  });

  it('sees only its own users: the same subject of another provider is another user', async () => {
    openId.claims = { email: 'one@example.com', sub: '42' };
    openId.userinfo = { sub: '42' };
    await exchange(app, await signInBy(app, 'open-id'));
    await exchange(app, await signInBy(app, 'plain'));
    expect(await app.sql('SELECT count(*)::int AS people FROM users')).toEqual([{ people: 2 }]);
  });
});
