import { applicationTables } from '../../../src/app.module.js';
import { ExchangeCodes } from '../../../src/identity/auth/exchange/exchange-codes.service.js';
import { auditMigrations } from '../../../src/platform/audit/audit-trail.service.js';
import { Migrator } from '../../../src/platform/database/migrations/migrator.js';
import { makeKey, unknownKey } from '../../support/api-keys.js';
import { eventsOf, LOCAL } from '../../support/audit-log.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { useMailedApp } from '../../support/mailbox.js';
import { nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { beginLinking, comeBack, freshBrowser, landing, meBy, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';
import type { TestBrowser } from '../../support/test-browser.js';

const NEXT = 'another sturdy walnut';

describe('the audit log contains with the client address', () => {
  const world = useMailedApp();
  const post = (path: string, body: object) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const by = (answer: { headers: Record<string, string> }): object => ({
    address: expect.stringMatching(LOCAL),
    request_id: answer.headers['x-request-id'],
  });
  const of = (userId: string, action: string) =>
    eventsOf(world.app, 'action = $2 AND (resource = $1 OR changes @> $3::jsonb)', [
      `user:${userId}`,
      action,
      JSON.stringify({ user: { after: userId } }),
    ]);

  it('a registration and an activation', async () => {
    const email = 'told.newcomer@example.com';
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    const registered = await post('local/register', body).expect(201);
    const token = tokenOf(await mailAfterRequest(world, email));
    const activated = await post('local/activate', { token }).expect(200);
    const [user] = await world.app.sql<{ id: string }>('SELECT id FROM users WHERE email_key = $1', [email]);
    expect(await of(user!.id, 'account.create')).toMatchObject([by(registered)]);
    expect(await of(user!.id, 'account.activate')).toMatchObject([by(activated)]);
  });

  it('a password recovery, and the revoked sessions', async () => {
    const person = await createPerson(world.app);
    await signIn(world.app, person);
    await post('local/recover', { email: person.email }).expect(200);
    const token = tokenOf(await mailAfterRequest(world, person.email));
    const body = { token, password: NEXT, password_confirmation: NEXT };
    const reset = await post('local/recover/reset', body).expect(200);
    expect(await of(person.id, 'account.password')).toMatchObject([by(reset)]);
    expect(await of(person.id, 'session.end')).toMatchObject([by(reset)]);
  });

  it('a wrong password in a confirmation, without the password', async () => {
    const { person, token } = await signedIn(world.app);
    const body = { current_password: 'not this walnut', password: NEXT, password_confirmation: NEXT };
    const refused = await world.app.as(token).post('/api/auth/local/password', body).expect(401);
    const events = await of(person.id, 'account.confirm');
    const refusal = { actor: `account:${person.id}`, outcome: 'invalid_credentials', changes: {} };
    expect(events).toMatchObject([{ ...refusal, ...by(refused) }]);
  });

  it('a sign-in code with the verifier of another client', async () => {
    const person = await createPerson(world.app);
    const client = { address: '192.0.2.7', device: null };
    const session = { userId: person.id, provider: 'acme', client, credentialsVersion: 0 };
    const { challenge: codeChallenge } = nativeApp();
    const code = await world.app.get(ExchangeCodes).issue(session, { codeChallenge });
    await post('exchange', { code, code_verifier: nativeApp().verifier }).expect(401);
    const refusal = { actor: 'guest', outcome: 'code_invalid', address: '192.0.2.7' };
    expect(await of(person.id, 'session.begin')).toMatchObject([refusal]);
  });

  it('API keys revoked with other credentials', async () => {
    const { person, token } = await signedIn(world.app, { emailVerifiedAt: null });
    const { id } = await makeKey(world.app, token);
    await post('local/recover', { email: person.email }).expect(200);
    const proof = tokenOf(await mailAfterRequest(world, person.email));
    await post('local/recover/reset', { token: proof, password: NEXT, password_confirmation: NEXT }).expect(200);
    const facts = { user: { after: person.id }, reason: { after: 'credentials' } };
    expect(await of(person.id, 'key.end')).toMatchObject([{ resource: `key:${id}`, changes: facts }]);
  });

  it('an API key revoked by its owner, and one by a stranger who found it', async () => {
    const { person, token } = await signedIn(world.app);
    const [own, found] = [await makeKey(world.app, token), await makeKey(world.app, token)];
    const removed = await world.app.as(token).delete(`/api/auth/keys/${own.id}`).expect(200);
    const reported = await post('keys/report', { key: found.key }).expect(202);
    await post('keys/report', { key: found.key }).expect(202);
    await post('keys/report', { key: unknownKey() }).expect(202);
    expect(await of(person.id, 'key.end')).toMatchObject([
      { resource: `key:${own.id}`, actor: `account:${person.id}`, ...by(removed) },
      { resource: `key:${found.id}`, actor: 'guest', changes: { reason: { after: 'reported' } }, ...by(reported) },
    ]);
  });

  it.each([
    ['activation', 'local/activate', { token: 'x'.repeat(43) }, 400],
    ['recovery', 'local/recover/reset', { token: 'x'.repeat(43), password: NEXT, password_confirmation: NEXT }, 400],
    ['recovery', 'local/recover/identities', { token: 'x'.repeat(43) }, 400],
    ['email_change', 'local/email/confirm', { token: 'x'.repeat(43) }, 400],
    ['email_cancel', 'local/email/cancel', { token: 'x'.repeat(43) }, 400],
    ['invitation', 'invitations/accept', { token: 'x'.repeat(43), password: NEXT, password_confirmation: NEXT }, 400],
    ['exchange', 'exchange', { code: 'x'.repeat(43) }, 401],
  ])('an unknown secret for %s (%s), without the secret', async (purpose, path, body, status) => {
    const before = (await eventsOf(world.app, `action = 'secret.refuse'`)).length;
    const refused = await post(path, body).expect(status);
    const events = (await eventsOf(world.app, `action = 'secret.refuse'`)).slice(before);
    const outcome = (refused.body as { data: { error: string } }).data.error;
    expect(events).toMatchObject([
      { actor: 'guest', outcome, changes: { purpose: { after: purpose } }, ...by(refused) },
    ]);
    expect(JSON.stringify(events)).not.toContain('xxxx');
  });

  it('a link used again or too late, and no merely invalid request', async () => {
    const person = await createPerson(world.app);
    await post('local/recover', { email: person.email }).expect(200);
    const token = tokenOf(await mailAfterRequest(world, person.email));
    const body = { token, password: NEXT, password_confirmation: NEXT };
    const outcomes = async (): Promise<string[]> =>
      (await eventsOf(world.app, `action = 'secret.refuse'`)).map(({ outcome }) => outcome);
    const before = (await outcomes()).length;
    await post('local/recover/reset', { ...body, password_confirmation: 'other' }).expect(400);
    await post('local/recover/reset', { ...body, password: 'short', password_confirmation: 'short' }).expect(422);
    await post('local/recover/reset', body).expect(200);
    expect((await outcomes()).slice(before)).toEqual([]);
    await post('local/recover/reset', body).expect(400);
    expect((await outcomes()).slice(before)).toEqual(['token_invalid']);
  });

  it('applied and reverted migrations, and no run without effect', async () => {
    const { config, connection } = world.app;
    const migrator = new Migrator(
      connection.address,
      applicationTables().migrations,
      auditMigrations(config, 'operator'),
    );
    const reverted = await migrator.down();
    await migrator.up();
    await migrator.up();
    expect(await eventsOf(world.app, `action LIKE 'migration.%'`)).toMatchObject([
      {
        action: 'migration.revert',
        actor: 'operator',
        resource: 'database',
        changes: { names: { after: [reverted] } },
      },
      { action: 'migration.apply', actor: 'operator', resource: 'database', changes: { names: { after: [reverted] } } },
    ]);
  });
});

describe('the audit log contains for providers', () => {
  const provider = new HostileProvider();
  let app: TestApp;
  let browser: TestBrowser;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp({ acme: provider.settings() });
    provider.nowMs = () => app.clock.nowMs();
  });
  beforeEach(() => {
    provider.reset();
    browser = freshBrowser(app);
  });
  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  const signInAs = (sub: string, claims: Record<string, unknown>): void => {
    provider.claims = { sub, ...claims };
    provider.userinfo = { sub };
  };
  const refusals = (action = 'session.begin') => eventsOf(app, `action = $1 AND outcome <> 'success'`, [action]);
  const expectedEvent = {
    actor: 'guest',
    resource: 'user',
    address: expect.stringMatching(LOCAL),
    changes: { provider: { after: 'acme' } },
  };

  it.each<[string, () => void]>([
    ['provider_denied', () => (provider.answer = { error: 'access_denied' })],
    ['provider_failed', () => provider.script.set('/token', { error: 'invalid_grant' })],
    ['email_not_verified', () => signInAs('unproven', { email_verified: false })],
    ['state_invalid', () => (provider.answer = { state: 'y' })],
  ])('a sign-in by %s, once, with its address', async (outcome, behave) => {
    behave();
    const before = (await refusals()).length;
    expect(landing(await browser.visit(await comeBack(browser, 'acme')))).toBe(`/dash/login#error=${outcome}`);
    expect((await refusals()).slice(before)).toMatchObject([
      { ...expectedEvent, outcome, request_id: expect.any(String) },
    ]);
  });

  it('nothing of an unknown provider', async () => {
    const before = (await refusals()).length;
    await app.asGuest().get('/api/auth/nobody/callback?code=x&state=y').expect(404);
    expect(await refusals()).toHaveLength(before);
  });

  it('an account created or linked by one, or a failure, with the client address', async () => {
    signInAs('told', { email: 'told.by@example.com' });
    const { id } = await meBy(app, 'acme');
    const address = expect.stringMatching(LOCAL);
    expect(await eventsOf(app, `action = 'account.create' AND resource = $1`, [`user:${String(id)}`])).toMatchObject([
      { address, request_id: expect.any(String), changes: { provider: { after: 'acme' } } },
    ]);
    const { person, token } = await signedIn(app);
    const link = async (): Promise<string> => {
      const start = await beginLinking({ app, browser, token }, { provider: 'acme', current_password: PASSWORD });
      return landing(await browser.follow(start, /\/dash\//));
    };
    expect(await link()).toBe('/dash/account#error=identity_taken');
    expect(await refusals('identity.link')).toMatchObject([{ ...expectedEvent, outcome: 'identity_taken' }]);
    signInAs('another', { email: person.email });
    expect(await link()).toBe('/dash/account#linked=acme');
    const linked = await eventsOf(app, `action = 'identity.link' AND outcome = 'success' AND resource = $1`, [
      `user:${person.id}`,
    ]);
    expect(linked).toMatchObject([{ actor: `account:${person.id}`, address, request_id: expect.any(String) }]);
  });

  it('one entry for an account that may not sign in', async () => {
    signInAs('shut', { email: 'shut@example.com' });
    const { id } = await meBy(app, 'acme');
    await app.sql('UPDATE users SET activated = false WHERE id = $1', [id]);
    const before = (await refusals()).length;
    expect(landing(await browser.visit(await comeBack(browser, 'acme')))).toBe('/dash/login#error=account_inactive');
    expect((await refusals()).slice(before)).toMatchObject([{ ...expectedEvent, outcome: 'account_inactive' }]);
  });
});
