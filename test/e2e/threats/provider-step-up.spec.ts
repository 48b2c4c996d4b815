import { HostileProvider } from '../../support/hostile-provider.js';
import { signedIn } from '../../support/people.js';
import { secured } from '../../support/second-factors.js';
import {
  APP,
  beginStepUp,
  exchange,
  freshBrowser,
  landing,
  providersVariable,
  signInBy,
  stepUpBy,
} from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';
import type { TestBrowser } from '../../support/test-browser.js';

const STEP_UP = '/api/auth/identities/step-up';
const PAGE = '/dash/account';
const CREDENTIALS: readonly (readonly [string, object])[] = [
  ['/api/auth/keys', { name: 'nightly', expires_in_days: 30 }],
  ['/api/auth/mfa/totp', { name: 'Phone' }],
  ['/api/auth/mfa/passkeys/options', {}],
];

/** An account without a password cannot confirm with one. A stolen access token must not add a credential to it either. */
describe('a step-up at the provider of an account without a password', () => {
  const provider = new HostileProvider();
  const other = new HostileProvider();
  const world = {} as { app: TestApp };

  beforeAll(async () => {
    for (const one of [provider, other]) {
      one.userinfo = null;
      await one.start();
    }
    const AUTH = providersVariable({ acme: provider.settings(), other: other.settings() });
    world.app = await TestApp.start({ env: { AUTH } });
    for (const one of [provider, other]) one.nowMs = () => world.app.clock.nowMs();
  });

  afterAll(async () => {
    await world.app?.stop();
    await Promise.all([provider.stop(), other.stop()]);
  });

  /** Signs in a user that only the provider knows. */
  async function federated() {
    const email = `federated${Math.random()}@example.com`;
    const claims = { sub: email, email };
    provider.claims = claims;
    return { token: await exchange(world.app, await signInBy(world.app, 'acme')), claims };
  }

  const begin = (token: string, browser: TestBrowser) => beginStepUp({ app: world.app, browser, token }, 'acme');
  const stepUp = (token: string) => stepUpBy(world.app, token, 'acme');
  const end = async (browser: TestBrowser, address: string) => landing(await browser.follow(address, /\/dash\//));

  const add = async (token: string) => {
    const statuses: number[] = [];
    for (const [path, body] of CREDENTIALS) statuses.push((await world.app.as(token).post(path, body)).status);
    return statuses;
  };

  it('is required for a new API key, authenticator app and passkey, even after a recent sign-in', async () => {
    const { token } = await federated();
    for (const [path, body] of CREDENTIALS) {
      const { status, body: answer } = await world.app.as(token).post(path, body);
      expect([path, status, (answer as { data?: object }).data]).toEqual([path, 401, { error: 'step_up_required' }]);
    }
    expect(await stepUp(token)).toBe(`${PAGE}#proven=acme`);
    expect(await add(token)).toEqual([201, 200, 200]);
    world.app.clock.advance(601);
    expect(await add(token)).toEqual([401, 401, 401]);
    const [event] = await world.app.sql<{ action: string; changes: object }>(
      `SELECT action, changes FROM audit_events WHERE action = 'session.prove' ORDER BY at DESC LIMIT 1`,
    );
    expect(JSON.stringify(event)).toContain('acme');
  });

  it('makes the provider ask the user again, unlike a sign-in', async () => {
    const { token } = await federated();
    const asked = async (address: string, browser: TestBrowser) => {
      const { location } = await browser.visit(address);
      const { searchParams } = new URL(location ?? '');
      return [searchParams.get('prompt'), searchParams.get('max_age')];
    };
    const browser = freshBrowser(world.app);
    expect(await asked(await begin(token, browser), browser)).toEqual(['login', '0']);
    expect(await asked(`${APP}/api/auth/acme/login`, freshBrowser(world.app))).toEqual([null, null]);
  });

  it.each([
    ['of an hour ago', 3_600, 'provider_failed'],
    ['of a moment ago', 5, null],
    ['without a time', null, null],
  ])('counts a sign-in at the provider %s', async (_name, age, refusal) => {
    const { token, claims } = await federated();
    const now = Math.floor(world.app.clock.nowMs() / 1_000);
    provider.claims = { ...claims, auth_time: age === null ? undefined : now - age };
    expect(await stepUp(token)).toBe(refusal === null ? `${PAGE}#proven=acme` : `${PAGE}#error=${refusal}`);
    expect(await add(token)).toEqual(refusal === null ? [201, 200, 200] : [401, 401, 401]);
  });

  it.each(['now', '', null, {}, '9999999999'])('rejects a provider whose sign-in time is %j', async (auth_time) => {
    const { token, claims } = await federated();
    provider.claims = { ...claims, auth_time };
    expect(await stepUp(token)).toBe(`${PAGE}#error=provider_failed`);
    expect(await add(token)).toEqual([401, 401, 401]);
  });

  it('rejects another account of the provider, which stays unlinked', async () => {
    const { token } = await federated();
    for (const email of ['thief@evil.example', (await federated()).claims.email]) {
      provider.claims = { sub: email, email };
      expect(await stepUp(token)).toBe(`${PAGE}#error=identity_mismatch`);
    }
    expect(await add(token)).toEqual([401, 401, 401]);
    const { body } = await world.app.as(token).get('/api/auth/identities').expect(200);
    expect((body as { data: object[] }).data).toHaveLength(1);
  });

  it('works once in the same browser, and only for its session', async () => {
    const { token } = await federated();
    const [owner, victim] = [freshBrowser(world.app), freshBrowser(world.app)];
    const sent = await begin(token, owner);
    expect(await end(victim, sent)).toContain('#error=token_invalid');
    const address = await begin(token, owner);
    expect(await end(owner, address)).toBe(`${PAGE}#proven=acme`);
    expect(await end(owner, address)).toContain('#error=token_invalid');

    const again = await exchange(world.app, await signInBy(world.app, 'acme'));
    expect(await add(again)).toEqual([401, 401, 401]);
    const late = await begin(token, owner);
    await world.app.as(token).post('/api/auth/logout', {});
    expect(await end(owner, late)).toContain('#error=token_invalid');
  });

  it('is not available for accounts with a password or second factor, or at unlinked providers', async () => {
    const ask = async (token: string, name: unknown) => {
      const { status, body } = await world.app.as(token).post(STEP_UP, { provider: name });
      return [status, (body as { data: { error: string } }).data.error];
    };
    const { token } = await signedIn(world.app);
    expect(await ask(token, 'acme')).toEqual([401, 'step_up_required']);
    expect(await ask((await secured(world.app)).token, 'acme')).toEqual([401, 'step_up_required']);
    const { token: own } = await federated();
    expect(await ask(own, 'other')).toEqual([404, 'identity_not_found']);
    expect(await ask(own, 'nobody')).toEqual([404, 'provider_not_found']);
    expect(await ask(own, null)).toEqual([422, 'validation_failed']);
    expect((await world.app.asGuest().post(STEP_UP, { provider: 'acme' })).status).toBe(401);
  });
});
