import { setTimeout as delay } from 'node:timers/promises';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { type MadeKey, makeKey } from '../../support/api-keys.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { Mailbox, type MailedApp } from '../../support/mailbox.js';
import { addPasskey, passkeySignIn } from '../../support/passkeys.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, stepNow } from '../../support/second-factors.js';
import {
  beginLinking,
  exchange,
  freshBrowser,
  meBy,
  providersVariable,
  signInBy,
  stepUpBy,
} from '../../support/social-fixture.js';
import type { SoftwareAuthenticator } from '../../support/software-authenticator.js';
import { TestApp } from '../../support/test-app.js';

const NEW = 'a wholly new walnut';
const DAY = 86_400;

interface Loot {
  readonly token: string;
  readonly key: MadeKey;
  readonly passkey: SoftwareAuthenticator;
  readonly subject: string;
}

describe('an account that was taken over', () => {
  const provider = new HostileProvider();
  const world = {} as { app: TestApp; mailbox: Mailbox } & MailedApp;
  let other: TestApp;

  beforeAll(async () => {
    provider.userinfo = null;
    await provider.start();
    world.mailbox = await Mailbox.open();
    world.mailTo = async (address) => {
      await world.app.get(JobWorker).drain();
      return world.mailbox.waitFor(address);
    };
    world.app = await TestApp.start({
      env: { MAIL_URL: world.mailbox.url, AUTH: providersVariable({ acme: provider.settings() }) },
    });
    other = await world.app.secondInstance();
    provider.nowMs = () => world.app.clock.nowMs();
  });

  afterAll(async () => {
    await other?.stop();
    await world.app?.stop();
    await Promise.all([world.mailbox?.close(), provider.stop()]);
  });

  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error;
  const admin = async () => world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);

  async function link(token: string, body: object): Promise<void> {
    const browser = freshBrowser(world.app);
    const address = await beginLinking({ app: world.app, browser, token }, { provider: 'acme', ...body });
    await browser.follow(address, /\/dash\//);
  }

  /** Adds one credential of each kind with a session and the password, and uses each on both instances. */
  async function plunder(token: string, isProven = true): Promise<Loot> {
    const key = await makeKey(world.app, token);
    const subject = `thief ${Math.random()}`;
    provider.claims = { sub: subject, email: `${Math.random()}@evil.example` };
    if (isProven) await link(token, { current_password: PASSWORD });
    const passkey = await addPasskey(world.app, token);
    await addAuthenticator(world.app, token, 'of the thief');
    await world.app.as(token).post('/api/auth/mfa/recovery-codes', {}).expect(200);
    for (const app of [world.app, other]) {
      await app.as(key.key).get('/api/content/users').expect(200);
      await app.as(token).get('/api/auth/me').expect(200);
      expect((await passkeySignIn(app, passkey)).status).toBe(200);
    }
    return { token, key, passkey, subject };
  }

  async function status(app: TestApp, token: string, path: string): Promise<number> {
    const end = performance.now() + 2_000;
    for (;;) {
      const { status: found } = await app.as(token).get(path);
      if (found === 401 || performance.now() > end) return found;
      await delay(20);
    }
  }

  async function assertSafe({ id, email }: Pick<Person, 'id' | 'email'>, loot: Loot): Promise<void> {
    for (const app of [world.app, other]) {
      expect(await status(app, loot.token, '/api/auth/me')).toBe(401);
      expect(await status(app, loot.key.key, '/api/content/users')).toBe(401);
      expect(errorOf(await passkeySignIn(app, loot.passkey))).toBe('passkey_invalid');
    }
    expect(
      await world.app.sql('SELECT 1 FROM totp_factors WHERE user_id = $1 AND name = $2', [id, 'of the thief']),
    ).toEqual([]);
    expect(
      await world.app.sql('SELECT 1 FROM identities WHERE subject = $1 AND user_id = $2', [loot.subject, id]),
    ).toEqual([]);
    expect(email).toContain('@');
  }

  async function recoveryToken({ email }: Pick<Person, 'email'>): Promise<string> {
    await world.app.get(JobWorker).drain();
    const before = world.mailbox.mailsTo(email).length;
    await post('local/recover', { email }).expect(200);
    await mailAfterRequest(world, email);
    return tokenOf(await world.mailbox.waitFor(email, before + 1));
  }

  async function reset(person: Pick<Person, 'email'>, body: object) {
    const token = await recoveryToken(person);
    return post('local/recover/reset', { token, password: NEW, password_confirmation: NEW, ...body });
  }

  const ownerSignsIn = ({ email }: Pick<Person, 'email'>, password = NEW) => signIn(world.app, { email, password });

  describe('by a thief with the password', () => {
    it.each([
      ['everything', { revoke: 'all' }],
      ['every kind', { revoke: ['identities', 'passkeys', 'totp', 'keys'] }],
      ['everything since a timestamp', { revoke: new Date(0).toISOString() }],
    ])('returns to the owner by a reset that revokes %s', async (_, body) => {
      const { person, token } = await signedIn(world.app, { roles: ['admin'] });
      const loot = await plunder(token);
      const answer = await reset(person, body);
      expect(answer.body).toEqual({ data: true });
      await assertSafe(person, loot);
      await ownerSignsIn(person);
    });

    it('returns to the owner when the e-mail change is cancelled', async () => {
      const { person, token } = await signedIn(world.app, { roles: ['admin'] });
      const old = await makeKey(world.app, token);
      world.app.clock.advance(60);
      const to = `evil${Math.random()}@example.com`;
      const change = { new_email: to, current_password: PASSWORD };
      await world.mailTo(person.email);
      await world.app.as(token).post('/api/auth/local/email/change', change).expect(200);
      await post('local/email/confirm', { token: tokenOf(await world.mailTo(to)) }).expect(200);
      const loot = await plunder(token);
      const cancel = tokenOf(await world.mailbox.waitFor(person.email, 2));
      await post('local/email/cancel', { token: cancel }).expect(200);
      await assertSafe(person, loot);
      await world.app.as(old.key).get('/api/content/users').expect(200);
      await ownerSignsIn(person, PASSWORD);
    });

    it('returns to the owner if an app was started before the e-mail change and confirmed after it', async () => {
      const { person, token } = await signedIn(world.app);
      const client = world.app.as(token);
      const begun = await client.post('/api/auth/mfa/totp', { current_password: PASSWORD }).expect(200);
      const { id, secret } = (begun.body as { data: { id: string; secret: string } }).data;
      world.app.clock.advance(60);
      const change = { new_email: `evil${Math.random()}@example.com`, current_password: PASSWORD };
      await client.post('/api/auth/local/email/change', change).expect(200);
      const cancel = tokenOf(await world.mailTo(person.email));
      world.app.clock.advance(60);
      await client.post('/api/auth/mfa/totp/confirm', { id, code: codeAt(secret, stepNow(world.app)) }).expect(200);
      await post('local/email/cancel', { token: cancel }).expect(200);
      await ownerSignsIn(person, PASSWORD);
    });

    it.each([
      [
        'an administrator',
        async ({ id }: Person) =>
          void (await (await admin()).patch(`/api/content/users/${id}`, { password: NEW }).expect(200)),
      ],
      ['the operator', async ({ id }: Person) => world.app.get(AccountService).setPassword(id, NEW)],
    ])('returns to the owner by cancelling the e-mail change after %s resets the password', async (_, setPassword) => {
      const { person, token } = await signedIn(world.app);
      const to = `evil${Math.random()}@example.com`;
      await world.app
        .as(token)
        .post('/api/auth/local/email/change', { new_email: to, current_password: PASSWORD })
        .expect(200);
      await post('local/email/confirm', { token: tokenOf(await world.mailTo(to)) }).expect(200);
      const cancel = tokenOf(await world.mailTo(person.email));
      await setPassword(person);
      expect(await status(world.app, token, '/api/auth/me')).toBe(401);
      await post('local/email/cancel', { token: cancel }).expect(200);
      // A password that was set at the other address is removed.
      expect((await reset(person, {})).status).toBe(200);
      await ownerSignsIn(person);
    });

    it('keeps the password that its owner chose in a recovery before cancelling the e-mail change', async () => {
      const { person, token } = await signedIn(world.app);
      const change = { new_email: `evil${Math.random()}@example.com`, current_password: PASSWORD };
      await world.app.as(token).post('/api/auth/local/email/change', change).expect(200);
      const cancel = tokenOf(await world.mailTo(person.email));
      expect((await reset(person, {})).status).toBe(200);
      await post('local/email/cancel', { token: cancel }).expect(200);
      await ownerSignsIn(person);
    });
  });

  it('by a thief with a token gives the thief no lasting credential', async () => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const thief = world.app.as(token);
    for (const body of [{}, { current_password: '' }, { current_password: null }]) {
      expect(errorOf(await thief.post('/api/auth/keys', { name: 'x', ...body }))).toMatch(
        /step_up_required|validation/,
      );
      expect(errorOf(await thief.post('/api/auth/mfa/totp', body))).toMatch(/step_up_required|validation/);
      expect(errorOf(await thief.post('/api/auth/mfa/passkeys/options', body))).toMatch(/step_up_required|validation/);
      expect((await thief.post('/api/auth/identities', { provider: 'acme', ...body })).status).not.toBe(200);
    }
    expect(await world.app.sql('SELECT 1 FROM api_keys WHERE user_id = $1', [person.id])).toEqual([]);
    expect((await reset(person, {})).status).toBe(200);
    for (const app of [world.app, other]) expect(await status(app, token, '/api/auth/me')).toBe(401);
    await ownerSignsIn(person);
  });

  it('before its address was verified returns to the owner with the first verification', async () => {
    const person = await createPerson(world.app, { roles: ['admin'] });
    const loot = await plunder(await signIn(world.app, person), false);
    // An unproven account cannot add factors. But an administrator who changes the address leaves one with factors unproven.
    await world.app.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id]);
    expect((await reset(person, {})).body).toEqual({ data: true });
    await assertSafe(person, loot);
    await ownerSignsIn(person);
  });

  it.each([
    ['password', async (person: Person) => (await admin()).patch(`/api/content/users/${person.id}`, { password: NEW })],
    [
      'address and password',
      async (person: Person) =>
        (await admin()).patch(`/api/content/users/${person.id}`, { email: `new.${person.email}`, password: NEW }),
    ],
  ])('returns to the owner when an administrator changes the %s', async (what, change) => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const loot = await plunder(token);
    expect((await change(person)).status).toBe(200);
    await assertSafe(person, loot);
    await ownerSignsIn({ email: what === 'password' ? person.email : `new.${person.email}` });
  });

  it('returns to the owner when the operator resets the password', async () => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const loot = await plunder(token);
    await world.app.get(AccountService).setPassword(person.id, NEW);
    await assertSafe(person, loot);
    await ownerSignsIn(person);
  });

  it('with a linked provider returns to the owner by the links of the notification mails', async () => {
    const email = `federated${Math.random()}@example.com`;
    provider.claims = { sub: email, email };
    const token = await exchange(world.app, await signInBy(world.app, 'acme'));
    const { body: me } = await world.app.as(token).get('/api/auth/me').expect(200);
    const id = (me as { id: string }).id;
    // A thief uses the open browser of a user who is signed in at the provider.
    await stepUpBy(world.app, token, 'acme');
    const key = await makeKey(world.app, token);
    const passkey = await addPasskey(world.app, token);
    await addAuthenticator(world.app, token, 'of the thief');
    await world.app.get(JobWorker).drain();
    const links = world.mailbox
      .mailsTo(email)
      .flatMap((mail) => mail.links.filter((one) => one.includes('/auth/credentials/revoke?token=')));
    expect(new Set(links).size).toBe(3);
    for (const one of new Set(links)) {
      const body = { token: new URL(one).searchParams.get('token') };
      await world.app.asGuest().get(new URL(one).pathname).expect(200);
      const uses = await Promise.all(Array.from({ length: 16 }, () => post('credentials/revoke', body)));
      expect(
        uses
          .map((use) => use.status)
          .sort((a, b) => a - b)
          .slice(0, 2),
      ).toEqual([200, 400]);
    }
    await assertSafe({ id, email }, { token, key, passkey, subject: 'nobody' });
    provider.claims = { sub: email, email };
    expect((await meBy(world.app, 'acme')).id).toBe(id);
  });

  it('keeps no revocation link longer than 7 days', async () => {
    const { person, token } = await signedIn(world.app);
    const { id } = await makeKey(world.app, token);
    const mail = await world.mailTo(person.email);
    const address = mail.links.find((one) => one.includes('/auth/credentials/revoke?token='))!;
    world.app.clock.advance(7 * DAY + 1);
    const late = await post('credentials/revoke', { token: new URL(address).searchParams.get('token') });
    expect([late.status, errorOf(late)]).toEqual([400, 'token_expired']);
    expect(await world.app.sql('SELECT 1 FROM api_keys WHERE id = $1', [id])).toHaveLength(1);
  });
});
